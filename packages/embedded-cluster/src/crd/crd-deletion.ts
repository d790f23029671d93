import type { Crd, CrdCondition } from './crd.ts';

/** Keeps a terminating CRD until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** Where the deletion of a CRD's objects stands, as its condition Terminating says it. */
export type DeletionState =
  | { readonly kind: 'pending' }
  | { readonly kind: 'inProgress' }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'remaining'; readonly why: string }
  | { readonly kind: 'completed' }
  | { readonly kind: 'neverEstablished' };

/** What the first DELETE makes of a CRD: its objects go first. */
export function beginCrdDeletion(draft: Crd, now: string): void {
  const finalizers = draft.metadata.finalizers ?? [];
  if (!finalizers.includes(cleanupFinalizer)) draft.metadata.finalizers = [...finalizers, cleanupFinalizer];
  draft.status = { ...draft.status, conditions: withDeletionState(draft, { kind: 'pending' }, now) };
}

/** The CRD's conditions with this state in them. */
export function withDeletionState(crd: Crd, state: DeletionState, now: string): CrdCondition[] {
  const conditions = crd.status?.conditions ?? [];
  const wanted = conditionOf(state);
  const old = conditions.find(({ type }) => type === 'Terminating');
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now;
  const next: CrdCondition = { lastTransitionTime, ...wanted };
  return old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
}

function conditionOf(state: DeletionState): CrdCondition {
  const terminating = (status: CrdCondition['status'], reason: string, message: string): CrdCondition => ({
    message,
    reason,
    status,
    type: 'Terminating',
  });
  switch (state.kind) {
    case 'pending': {
      const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
      return terminating('True', 'InstanceDeletionPending', message);
    }
    case 'inProgress':
      return terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
    case 'failed':
      return terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${state.why}`);
    case 'remaining': {
      const message = `could not confirm zero CustomResources remaining: ${state.why}`;
      return terminating('True', 'InstanceDeletionCheck', message);
    }
    case 'completed':
      return terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
    case 'neverEstablished':
      return terminating('False', 'NeverEstablished', 'resource was never established');
  }
}

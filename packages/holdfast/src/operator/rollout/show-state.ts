import { operatorName } from '../../api/installation-names.ts';
import { annotation } from '../../api/names.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { formatRolloutState } from '../../core/rollout/format.ts';
import type { RolloutState } from '../../core/rollout/state.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { resources } from '../../observe/resources.ts';
import { hasUpdateStrategy } from './watched-set.ts';

export type Shown = { readonly kind: 'same' } | { readonly kind: 'change'; readonly text: string | null };

/** A set that no longer asks for anything shows nothing. */
export function planShown(set: StatefulSet, state: RolloutState): Shown {
  const wanted = hasUpdateStrategy(set.metadata) ? formatRolloutState(state) : null;
  const present = set.metadata.annotations?.[annotation.rolloutState] ?? null;
  return wanted === present ? { kind: 'same' } : { kind: 'change', text: wanted };
}

export interface ShowCall {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** What happened stays true when the set changes; anything else is said of the version that was read, or fails with a conflict. */
  readonly happened: boolean;
}

export function writeShown(
  client: Pick<KubeClient, 'patch'>,
  { metadata: { namespace = '', name, uid, resourceVersion } }: StatefulSet,
  text: string | null,
  { happened, ...call }: ShowCall,
): Promise<Outcome<unknown>> {
  const version = happened ? {} : { resourceVersion };
  const body = { metadata: { uid, ...version, annotations: { [annotation.rolloutState]: text } } };
  // By way of the status: the right to patch a StatefulSet itself is the right to run anything in its namespace.
  const place = { namespace, name, subresource: 'status' };
  return client.patch(resources.statefulSets, place, { type: 'merge', body }, { ...call, fieldManager: operatorName });
}

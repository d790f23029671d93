import type { Pod } from 'kubernetes-types/core/v1.js';
import { ApiError, conflict, noSuchPath } from '../errors.ts';
import { clone, type KubeObject } from '../objects.ts';
import { timestamp } from '../time/clock.ts';
import { mutated, type Registry, type Target, validated } from './registry.ts';
import { updateObject } from './update/update.ts';
import type { WriteContext } from './write-context.ts';

interface BindingLike {
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly annotations?: Record<string, string> };
  readonly target?: { readonly kind?: string; readonly name?: string };
}

/** POST pods/NAME/binding: the scheduler's word on where a pod runs. It is said once. */
export async function bindPod(
  registry: Registry,
  namespace: string,
  name: string,
  body: KubeObject,
  context: WriteContext,
): Promise<void> {
  const type = registry.types.storage('pods');
  if (!type) throw noSuchPath();
  const target = { type, namespace, name };
  const binding = (await admitted(registry, target, body, context)) as unknown as BindingLike;
  const node = nodeOf(binding);
  const of = { group: '', resource: 'pods/binding' };
  await updateObject(registry, {
    target,
    subresource: 'binding',
    skipAdmission: true,
    // No manager owns `spec.nodeName`.
    tracksFields: true,
    context: { ...context, options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' } },
    retries: true,
    change: (old) => {
      const pod = old as unknown as Pod;
      if (binding.metadata?.uid && binding.metadata.uid !== pod.metadata?.uid) {
        throw conflict(
          of,
          name,
          `Precondition failed: UID in precondition: ${binding.metadata.uid}, UID in object meta: ${pod.metadata?.uid}`,
        );
      }
      if (pod.metadata?.deletionTimestamp)
        throw conflict(of, name, `pod ${name} is being deleted, cannot be assigned to a host`);
      if (pod.spec?.nodeName)
        throw conflict(of, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
      return bound(old, node, binding, timestamp(registry.clock.now()));
    },
  });
}

async function admitted(
  registry: Registry,
  target: Target,
  body: KubeObject,
  context: WriteContext,
): Promise<KubeObject> {
  const parts = {
    operation: 'CREATE' as const,
    target,
    subresource: 'binding',
    kind: { group: '', version: 'v1', kind: 'Binding' },
    oldObject: undefined,
    context,
  };
  const object = (await mutated(registry, { ...parts, object: body }, 'v1')) ?? body;
  await validated(registry, { ...parts, object });
  return object;
}

/** The real server does not dress these up either. */
function wrongBinding(message: string): ApiError {
  return new ApiError({ code: 500, message });
}

function nodeOf(binding: BindingLike): string {
  const { kind, name: node } = binding.target ?? {};
  if (kind !== undefined && kind !== '' && kind !== 'Node') {
    throw wrongBinding(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  }
  if (node === undefined || node === '') {
    throw wrongBinding('target.name: Required value');
  }
  return node;
}

function bound(old: KubeObject, node: string, binding: BindingLike, now: string): KubeObject {
  const draft = clone(old) as KubeObject & { spec: { nodeName?: string }; status?: { conditions?: object[] } };
  draft.spec.nodeName = node;
  const annotations = binding.metadata?.annotations;
  if (annotations) draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
  const others = (draft.status?.conditions ?? []).filter(
    (condition) => (condition as { type: string }).type !== 'PodScheduled',
  );
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  draft.status = { ...draft.status, conditions: [...others, scheduled] };
  delete draft.metadata.resourceVersion;
  return draft;
}

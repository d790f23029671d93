import { formatFieldErrors } from '@holdfast/base/field-errors';
import { systemUser } from '../auth/user.ts';
import { ApiError } from '../errors.ts';
import { validateMetadata } from '../kinds/builtin/checks/metadata.ts';
import { dnsSubdomainName } from '../kinds/builtin/checks/object-names.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { clone, type KubeObject, keyOf, splitApiVersion } from '../objects.ts';
import { apiVersionOf, convertTo, storageApiVersion, workingType } from '../registry/convert.ts';
import { asObject, checkFields } from '../registry/decode.ts';
import { type Registry, strategyContext } from '../registry/registry.ts';
import { hasGeneration } from '../registry/update/generation.ts';
import { timestamp } from '../time/clock.ts';
import { randomUid } from '../time/random.ts';

/** An object as `kubectl get -o json` prints it; nothing else of it has been checked. */
export interface SnapshotObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: unknown };
  readonly [field: string]: unknown;
}

export type LoadOutcome =
  | { readonly kind: 'loaded'; readonly type: ResourceType; readonly object: KubeObject; readonly dropped: string[] }
  | { readonly kind: 'unknown-kind' }
  | { readonly kind: 'left-out'; readonly why: string }
  | { readonly kind: 'exists' }
  | { readonly kind: 'invalid'; readonly why: string };

/** Kinds that would make this cluster call something that runs only where the snapshot was taken, or that no controller here maintains. */
const leftOut: ReadonlyMap<string, string> = new Map([
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', 'what it calls does not run here'],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', 'what it calls does not run here'],
  ['componentstatuses', 'it says how another cluster was; this one is asked each time'],
]);

/** Stores an object as it was: past admission, with its identity and status, but not what its kind cannot be. */
export async function loadObject(
  registry: Registry,
  snapshot: SnapshotObject,
  adjust: (type: ResourceType, draft: KubeObject) => void,
): Promise<LoadOutcome> {
  const { group, version } = splitApiVersion(snapshot.apiVersion);
  const type = registry.types.byKind(group, version, snapshot.kind);
  if (!type?.verbs.includes('list')) return { kind: 'unknown-kind' };
  const why = leftOut.get(type.key);
  if (why !== undefined) return { kind: 'left-out', why };
  try {
    const dropped: string[] = [];
    const object = await prepared(registry, type, snapshot, dropped);
    adjust(type, object);
    const invalid = problemsOf(registry, workingType(registry.types, type), object);
    if (invalid !== undefined) return { kind: 'invalid', why: invalid };
    const kept = await convertTo(type, object, storageApiVersion(type));
    const result = registry.store.create(type.key, keyOf(kept), kept);
    return result.ok ? { kind: 'loaded', type, object: result.stored.object, dropped } : { kind: 'exists' };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'invalid', why: error.message };
    throw error;
  }
}

async function prepared(
  registry: Registry,
  type: ResourceType,
  snapshot: SnapshotObject,
  dropped: string[],
): Promise<KubeObject> {
  const decoded = clone(asObject(type, snapshot));
  checkFields(type, decoded, {
    user: systemUser,
    dryRun: false,
    fieldManager: '',
    fieldValidation: 'Warn',
    warnings: dropped,
    options: {},
  });
  if (type.namespaced) decoded.metadata.namespace ||= 'default';
  const working = workingType(registry.types, type);
  const object = await convertTo(type, decoded, apiVersionOf(working));
  working.strategy.applyDefaults?.(object);
  // It was written by hand: it is new, and gets what every new object gets.
  if (snapshot['status'] === undefined) working.strategy.prepareForCreate?.(object, strategyContext(registry));
  const { metadata } = object;
  metadata.uid ||= randomUid(registry.random);
  metadata.creationTimestamp ||= timestamp(registry.clock.now());
  if (hasGeneration(working)) metadata.generation ??= 1;
  delete metadata.selfLink;
  return object;
}

function problemsOf(registry: Registry, type: ResourceType, object: KubeObject): string | undefined {
  const rules = { namespaced: type.namespaced, nameProblem: type.strategy.nameProblem ?? dnsSubdomainName };
  // It has lived already: what only new objects must not have is for those without a version.
  object.metadata.resourceVersion ||= '1';
  const errors = [
    ...validateMetadata(object.metadata, rules),
    ...(type.strategy.validate?.(object, strategyContext(registry)) ?? []),
  ];
  return errors.length === 0 ? undefined : formatFieldErrors(errors);
}

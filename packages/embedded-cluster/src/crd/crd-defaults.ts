import type { KubeObject } from '../objects.ts';
import type { Crd } from './crd.ts';

/** Fills in what authors leave out. The draft has not been validated yet: even the spec may be missing. */
export function applyCrdDefaults(draft: KubeObject): void {
  const crd = draft as Crd;
  crd.spec ??= {} as Crd['spec'];
  const { spec } = crd;
  spec.versions ??= [];
  spec.names ??= { plural: '', kind: '' };
  spec.conversion ??= { strategy: 'None' };
  const { names, conversion } = spec;
  names.singular ||= (names.kind ?? '').toLowerCase();
  if (names.kind) names.listKind ||= `${names.kind}List`;
  const service = conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
}

/** The storage version has been stored in from now on, and every version that once was stays listed until it is taken off. */
export function recordStorageVersion(draft: KubeObject, stored: readonly string[]): void {
  const crd = draft as Crd;
  const storage = (crd.spec?.versions ?? []).find((version) => version.storage)?.name;
  const added = storage === undefined || stored.includes(storage) ? [] : [storage];
  crd.status = { ...crd.status, storedVersions: [...stored, ...added] };
}

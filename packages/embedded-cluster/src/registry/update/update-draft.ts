import type { ResourceType } from '../../kinds/resource-type.ts';
import { clone, type KubeObject } from '../../objects.ts';
import { trackUpdate } from '../../patch/fields/managed-fields.ts';
import { timestamp } from '../../time/clock.ts';
import { type Registry, strategyContext } from '../registry.ts';
import { withSubresourceOnly } from '../subresource-fields.ts';
import { hasGeneration, specificationChanged } from './generation.ts';
import type { UpdateRequest } from './update-request.ts';

/** What is wanted, with everything out of the request's reach as it was; who owns which field is decided here. */
export function prepare(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  wanted: KubeObject,
  old: KubeObject,
): KubeObject {
  // The wanted object may share parts with the stored one, which must not be changed.
  const copy = wanted === old ? clone(old) : { ...wanted, metadata: { ...wanted.metadata } };
  type.strategy.applyDefaults?.(copy);
  const draft = confine(type, request.subresource, copy, old);
  if (!request.tracksFields) track(registry, type, request, draft, old);
  return draft;
}

/** After admission, which may have changed anything: what only the server may say is said by it, and by the kind. */
export function settle(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  admitted: KubeObject,
  old: KubeObject,
): KubeObject {
  const { subresource } = request;
  const draft = confine(type, subresource, admitted, old);
  const context = strategyContext(registry);
  if (subresource === '') type.strategy.prepareForUpdate?.(draft, old, context);
  else type.strategy.prepareForSubresource?.(subresource, draft, old, context);
  // Where a pod runs is not what was asked for: a binding leaves its generation alone.
  if (subresource !== 'status' && subresource !== 'binding') bumpGeneration(type, draft, old);
  return draft;
}

function confine(type: ResourceType, subresource: string, draft: KubeObject, old: KubeObject): KubeObject {
  keepSystemFields(draft, old);
  if (subresource !== '') return withSubresourceOnly(type, subresource, draft, old);
  if (type.subresources.has('status')) keepField(draft, old, 'status');
  if (hasGeneration(type)) draft.metadata.generation = old.metadata.generation ?? 1;
  else delete draft.metadata.generation;
  return draft;
}

function keepSystemFields(draft: KubeObject, old: KubeObject): void {
  const { metadata } = draft;
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old.metadata[field] });
  }
  metadata.name = metadata.name || old.metadata.name;
  if (old.metadata.namespace !== undefined) metadata.namespace = metadata.namespace || old.metadata.namespace;
  metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  delete metadata.selfLink;
}

function keepField(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = old[field];
}

function bumpGeneration(type: ResourceType, draft: KubeObject, old: KubeObject): void {
  if (!hasGeneration(type)) return;
  const before = old.metadata.generation ?? 1;
  draft.metadata.generation = specificationChanged(type, draft, old) ? before + 1 : before;
}

function track(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  draft: KubeObject,
  old: KubeObject,
): void {
  const subresource = request.travelsAs?.subresource ?? request.subresource;
  const managedFields = trackUpdate({
    live: old,
    next: draft,
    manager: request.context.fieldManager,
    apiVersion: draft.apiVersion,
    ...(subresource === '' ? {} : { subresource }),
    time: timestamp(registry.clock.now()),
    schema: type.schema,
  });
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
  else delete draft.metadata.managedFields;
}

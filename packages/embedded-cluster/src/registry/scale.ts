import { type Scale, scaleOf, withReplicas } from '../crd/scale.ts';
import { badRequest, invalidObject, methodNotAllowed, notFound } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { clone, type JsonObject, type KubeObject } from '../objects.ts';
import { type Registry, resourceName, stored, type Target } from './registry.ts';
import { lostRace, updateObject } from './update/update.ts';
import type { WriteContext } from './write-context.ts';

const builtinPaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

export function scalePaths(type: ResourceType): typeof builtinPaths | NonNullable<ResourceType['custom']>['scale'] {
  return type.custom ? type.custom.scale : builtinPaths;
}

export function readScale(registry: Registry, target: Target): Scale {
  const current = stored(registry, target);
  if (!current) throw notFound(resourceName(target.type), target.name);
  return asScale(target.type, current.object);
}

function asScale(type: ResourceType, object: KubeObject): Scale {
  const paths = scalePaths(type);
  if (!paths) throw methodNotAllowed();
  return scaleOf(object, paths);
}

/** Changes replicas through the Scale of an object: what a client may change who may not change the object. */
export async function writeScale(
  registry: Registry,
  target: Target,
  context: WriteContext,
  change: (scale: JsonObject) => JsonObject,
): Promise<Scale> {
  const { type } = target;
  const paths = scalePaths(type);
  if (!paths) throw methodNotAllowed();
  const outcome = await updateObject(registry, {
    target,
    subresource: '',
    context,
    retries: true,
    travelsAs: {
      subresource: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      encode: (object) => scaleOf(object, paths),
      decode: (scale, object) => withReplicas(object, paths, replicasOf(scale)),
    },
    change: (old) => {
      const scale = change(clone(scaleOf(old, paths)) as unknown as JsonObject);
      checkScale(target, scale, old);
      const draft = withReplicas(clone(old), paths, replicasOf(scale));
      // A Scale that names no version is for the newest.
      return { ...draft, metadata: { ...draft.metadata, resourceVersion: old.metadata.resourceVersion ?? '' } };
    },
  });
  return asScale(type, outcome.object);
}

function replicasOf(scale: JsonObject): number {
  const replicas = (scale['spec'] as { replicas?: unknown } | undefined)?.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('spec.replicas of a Scale must be an integer');
  if (replicas < 0) {
    throw invalidObject(
      { group: 'autoscaling', kind: 'Scale' },
      String((scale['metadata'] as { name?: string }).name),
      [
        {
          type: 'FieldValueInvalid',
          field: 'spec.replicas',
          value: replicas,
          detail: 'must be greater than or equal to 0',
        },
      ],
    );
  }
  return replicas;
}

function checkScale(target: Target, scale: JsonObject, old: KubeObject): void {
  const metadata = scale['metadata'] as { name?: string; resourceVersion?: string; uid?: string } | undefined;
  if (metadata?.name !== undefined && metadata.name !== target.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${target.name})`);
  }
  if (metadata?.resourceVersion && metadata.resourceVersion !== old.metadata.resourceVersion) throw lostRace(target);
}

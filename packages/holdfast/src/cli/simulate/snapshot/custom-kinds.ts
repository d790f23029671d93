import { isObject } from '@holdfast/base/json';
import { createResourceTypes, lwsCrd } from '@holdfast/embedded-cluster';
import { splitApiVersion } from '@holdfast/embedded-cluster/objects';
import { crdManifests } from '../../../install/index.ts';
import type { LoadedObject } from '../../load-objects.ts';

interface CustomKind {
  readonly group: string;
  readonly kind: string;
  readonly versions: Set<string>;
  namespaced: boolean;
  scaled: boolean;
}

/** Definitions for kinds that the snapshot has objects of, but no definition: whatever is in these objects is kept as it is. */
export function missingDefinitions(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  const known = knownKinds(objects);
  const kinds = new Map<string, CustomKind>();
  for (const object of objects) {
    const { group, version } = splitApiVersion(object.apiVersion);
    const key = `${group}/${object.kind}`;
    if (known(group, version, object.kind) || !group.includes('.')) continue;
    const kind = kinds.get(key) ?? { group, kind: object.kind, versions: new Set(), namespaced: false, scaled: false };
    kinds.set(key, kind);
    kind.versions.add(version);
    if (object.metadata.namespace !== undefined) kind.namespaced = true;
    if (isObject(object['spec']) && typeof object['spec']['replicas'] === 'number') kind.scaled = true;
  }
  return [...kinds.values()].map(definitionOf);
}

function knownKinds(objects: readonly LoadedObject[]): (group: string, version: string, kind: string) => boolean {
  const builtin = createResourceTypes({ strategies: new Map(), cells: new Map() });
  const definitions = [lwsCrd, ...crdManifests, ...objects.filter(({ kind }) => kind === 'CustomResourceDefinition')];
  const defined = new Set(definitions.map(kindOf));
  return (group, version, kind) =>
    builtin.byKind(group, version, kind) !== undefined || defined.has(`${group}/${kind}`);
}

function kindOf(definition: object): string {
  const spec = 'spec' in definition && isObject(definition.spec) ? definition.spec : {};
  const names = isObject(spec['names']) ? spec['names'] : {};
  return `${String(spec['group'])}/${String(names['kind'])}`;
}

/** All versions get the same schema: a snapshot does not say how they differ. */
function definitionOf({ group, kind, versions, namespaced, scaled }: CustomKind): LoadedObject {
  const singular = kind.toLowerCase();
  const plural = pluralOf(singular);
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const subresources = { status: {}, ...(scaled ? { scale } : {}) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, singular, plural },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      conversion: { strategy: 'None' },
      versions: [...versions].sort().map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: open },
        subresources,
      })),
    },
  };
}

function pluralOf(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

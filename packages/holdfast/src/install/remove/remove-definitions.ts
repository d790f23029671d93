import type { Fields } from '@holdfast/base/json';
import { type FoundDefinition, foreignSign } from '../apply/foreign.ts';
import type { Patience } from '../apply/wait-until.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy } from '../failures.ts';
import { foundOf } from '../manifests/labelled.ts';
import { crdManifests } from '../manifests/manifests.ts';
import { refOf, refText } from '../object-ref.ts';
import { done, type Ended } from '../outcome.ts';
import { removeAll } from './remove-objects.ts';

/** With a definition goes every object of its kind: budgets are what people wrote, so they decide. */
export async function removeDefinitions(api: ClusterApi, wanted: boolean, patience: Patience): Promise<Ended> {
  for (const manifest of crdManifests) {
    const ref = refOf(manifest);
    const resource = await api.resourceOf(manifest);
    if (!resource.ok) return endedBy(resource.failure, refText(ref)).ended;
    const object = await api.find<Fields>(resource.value, ref);
    if (!object.ok) return endedBy(object.failure, refText(ref)).ended;
    if (object.value === undefined) continue;
    const why = reasonToKeep(object.value, wanted);
    if (why !== undefined) {
      patience.report({ kind: 'object', ref, result: { kind: 'skipped', why } });
      continue;
    }
    const ended = await removeAll(api, [foundOf(resource.value, object.value)], patience);
    if (ended.kind !== 'done') return ended;
  }
  return done;
}

function reasonToKeep(definition: FoundDefinition, wanted: boolean): string | undefined {
  const sign = foreignSign(definition);
  if (sign !== undefined) return `it is not Holdfast's: ${sign}`;
  return wanted ? undefined : 'objects of its kind may be there; --delete-user-data removes them with it';
}

import { isObject } from '@holdfast/base/json';
import { splitApiVersion } from '@holdfast/embedded-cluster/objects';
import { ledgerGroup } from '../api/ledger.ts';
import type { LoadedObject } from './load-objects.ts';

/**
 * What a ledger of a snapshot still tells: the sizes of groups (G5), without which a group with a missing pod looks whole. Reservations
 * and the watermark are left out: the requests that made them ended long ago, and their versions are those of the cluster at that time,
 * which nothing in the snapshot can be compared with.
 */
export function withSizesAlone(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  return objects.map((object) => (isLedger(object) ? sizesOf(object) : object));
}

export function isLedger({ apiVersion, kind }: Pick<LoadedObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'DisruptionLedger' && splitApiVersion(apiVersion).group === ledgerGroup;
}

export function sizesOf(ledger: LoadedObject): LoadedObject {
  const sizes = isObject(ledger['spec']) ? ledger['spec']['sizes'] : undefined;
  return { ...ledger, spec: Array.isArray(sizes) ? { sizes } : {} };
}

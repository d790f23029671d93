import { sameJson } from '@holdfast/base/json';
import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { KubeObject } from '../objects.ts';
import type { WriteContext } from './write-context.ts';

const advice =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';

type DuplicatesFrom = 'client' | 'admission';

const complaints: Readonly<Record<DuplicatesFrom, string>> = {
  client: '.metadata.ownerReferences contains duplicate entries; ',
  admission: '.metadata.ownerReferences contains duplicate entries after mutating admission happens; ',
};

/** Drops, in place, owners that are named twice, and warns of them. */
export function dropDuplicateOwners({ metadata }: KubeObject, context: WriteContext, from: DuplicatesFrom): void {
  const references = metadata.ownerReferences;
  if (!Array.isArray(references) || references.length < 2) return;
  const kept = new Map<string, OwnerReference[]>();
  const repeated = new Set<string>();
  const distinct = references.filter((reference) => {
    // What is no reference at all is for validation to refuse.
    const uid = (reference as OwnerReference | null)?.uid ?? '';
    const others = kept.get(uid) ?? [];
    if (uid !== '' && others.some((other) => sameJson(other, reference))) {
      repeated.add(uid);
      return false;
    }
    kept.set(uid, [...others, reference]);
    return true;
  });
  if (repeated.size === 0) return;
  metadata.ownerReferences = distinct;
  context.warnings.push(complaints[from] + advice + [...repeated].join(', '));
}

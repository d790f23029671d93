import { apiGroupOf } from '@holdfast/base/meta';
import type { OwnerName } from '../../core/owner.ts';
import type { OwnerKind } from './owner-kinds.ts';

/** An owner by name: what is looked up, whatever the uids are that pods point at. */
export interface OwnerPlace extends OwnerKind {
  readonly namespace: string;
  readonly name: string;
}

/** Kinds and names come from unchecked references: no separator is safe in them. */
export function ownerKeyOf({ namespace, group, kind, name }: OwnerPlace): string {
  return JSON.stringify([namespace, group, kind, name]);
}

export function placeOfKey(key: string): OwnerPlace {
  const [namespace, group, kind, name] = JSON.parse(key) as [string, string, string, string];
  return { namespace, group, kind, name };
}

export function placeOf(owner: OwnerName): OwnerPlace {
  const { namespace, kind, name } = owner;
  return { namespace, group: apiGroupOf(owner.apiVersion), kind, name };
}

/** Of an apiVersion only the group says which owner is meant. */
export function ownerNameOf({ namespace, group, kind, name }: OwnerPlace): OwnerName {
  return { apiVersion: group === '' ? 'v1' : `${group}/*`, kind, namespace, name };
}

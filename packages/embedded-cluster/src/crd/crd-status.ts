import { equalJson } from '../schema/json-values.ts';
import type { Crd, CrdCondition, CrdNames, CrdStatus } from './crd.ts';

/** Names in one group that are used already: by other CRDs, and by what is built in. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export const noNames: TakenNames = { resources: new Set(), kinds: new Set() };

/** What other CRDs of the same group have been granted. */
export function namesOfOthers(crd: Crd, others: Iterable<Crd>, builtin: TakenNames = noNames): TakenNames {
  const resources = new Set(builtin.resources);
  const kinds = new Set(builtin.kinds);
  for (const other of others) {
    if (other.spec.group !== crd.spec.group || other.metadata.name === crd.metadata.name) continue;
    const names = other.status?.acceptedNames;
    if (!names) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * The status that a CRD should have: the names it gets, and whether its resource can be served. A resource that was served once
 * stays served, also when a later change of names meets a conflict. Undefined: the status is that already.
 */
export function nextCrdStatus(crd: Crd, taken: TakenNames, now: string): CrdStatus | undefined {
  const before = crd.status ?? {};
  const { names, conflict } = grantNames(crd.spec.names, before.acceptedNames, taken);
  const accepted: CrdCondition = conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const status: CrdStatus = {
    ...before,
    acceptedNames: names,
    conditions: withConditions(before.conditions ?? [], [accepted, established(before, !conflict)], now),
    storedVersions: before.storedVersions ?? crd.spec.versions.filter((v) => v.storage).map((v) => v.name),
  };
  return equalJson(status, before) ? undefined : status;
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

function grantNames(
  wanted: CrdNames,
  before: CrdNames | undefined,
  taken: TakenNames,
): { names: CrdNames; conflict: Conflict | undefined } {
  const names: CrdNames = { ...(before ?? { plural: '', kind: '' }) };
  let conflict: Conflict | undefined;
  const grant = (key: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string>, reason: string) => {
    const name = wanted[key] ?? '';
    if (name !== (before?.[key] ?? '') && used.has(name)) conflict = { reason, message: inUse(name) };
    else if (name !== '') names[key] = name;
  };
  grant('plural', taken.resources, 'PluralConflict');
  grant('singular', taken.resources, 'SingularConflict');
  const refused = (wanted.shortNames ?? []).filter(
    (name) => !(before?.shortNames ?? []).includes(name) && taken.resources.has(name),
  );
  if (refused.length > 0) conflict = { reason: 'ShortNamesConflict', message: aggregate(refused.map(inUse)) };
  else setOrDelete(names, 'shortNames', wanted.shortNames);
  grant('kind', taken.kinds, 'KindConflict');
  grant('listKind', taken.kinds, 'ListKindConflict');
  setOrDelete(names, 'categories', wanted.categories);
  return { names, conflict };
}

function inUse(name: string): string {
  return `"${name}" is already in use`;
}

function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

function setOrDelete(names: CrdNames, key: 'shortNames' | 'categories', value: string[] | undefined): void {
  if (value === undefined) delete names[key];
  else names[key] = value;
}

function established(before: CrdStatus, accepted: boolean): CrdCondition {
  const old = before.conditions?.find((condition) => condition.type === 'Established');
  if (old?.status === 'True') return old;
  if (!accepted) {
    return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  }
  const message = 'the initial names have been accepted';
  return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message };
}

function withConditions(before: readonly CrdCondition[], wanted: readonly CrdCondition[], now: string): CrdCondition[] {
  const kept = before.filter((condition) => !wanted.some((one) => one.type === condition.type));
  const set = wanted.map((condition) => {
    const old = before.find((one) => one.type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? now) : now;
    const { type, status, reason, message } = condition;
    return { lastTransitionTime, message, reason, status, type };
  });
  return [...set, ...kept];
}

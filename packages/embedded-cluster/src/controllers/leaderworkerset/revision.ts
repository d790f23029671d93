/** The templates that a LeaderWorkerSet had, as ControllerRevisions: groups of older ones get their workers from them. */

import { sameJson } from '@holdfast/base/json';
import { clone, type JsonObject, type KubeObject } from '../../objects.ts';
import { hashOf } from '../common/hash.ts';
import { ownerReference } from '../common/owners.ts';
import type { PodTemplate, RevisionObject } from '../common/workloads.ts';
import * as keys from './keys.ts';
import type { LwsObject } from './lws-object.ts';

const maxPrefix = 220;

export function revisionKeyOf(object: KubeObject): string {
  return object.metadata.labels?.[keys.revisionHash] ?? '';
}

/** What a revision keeps, as a patch that puts it back. */
function revisionData(lws: LwsObject): JsonObject {
  const { leaderWorkerTemplate, networkConfig = { subdomainPolicy: 'Shared' } } = lws.spec;
  return {
    spec: {
      networkConfig: { ...networkConfig, $patch: 'replace' },
      leaderWorkerTemplate: { ...leaderWorkerTemplate, $patch: 'replace' },
    },
  };
}

export function workerTemplateOf(revision: RevisionObject): PodTemplate {
  const data = revision.data as { spec?: { leaderWorkerTemplate?: { workerTemplate?: PodTemplate } } } | undefined;
  return data?.spec?.leaderWorkerTemplate?.workerTemplate ?? {};
}

function sameRevision(revision: RevisionObject, data: JsonObject): boolean {
  return sameJson(revision.data, data);
}

/** The newest with this key. */
export function findRevision(all: readonly RevisionObject[], key: string): RevisionObject | undefined {
  if (key === '') return undefined;
  return newest(all.filter((revision) => revisionKeyOf(revision) === key));
}

function newLwsRevision(lws: LwsObject, all: readonly RevisionObject[], key: string): RevisionObject {
  const data = clone(revisionData(lws));
  const hash = hashOf(data, undefined);
  const revision = (newest(all)?.revision ?? 0) + 1;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${lws.metadata.name.slice(0, maxPrefix)}-${hash}-${revision}`,
      namespace: lws.metadata.namespace ?? '',
      labels: { [keys.setName]: lws.metadata.name, [keys.revisionHash]: key || hash },
      ownerReferences: [ownerReference(lws)],
    },
    data,
    revision,
  };
}

function newest(all: readonly RevisionObject[]): RevisionObject | undefined {
  return all.reduce<RevisionObject | undefined>(
    (best, revision) => (best === undefined || revision.revision >= best.revision ? revision : best),
    undefined,
  );
}

/** How the wanted template stands to what the leaders run. */
export type RevisionChoice =
  | { readonly kind: 'unchanged'; readonly revision: RevisionObject }
  /** `changed`: the leaders run another template. */
  | { readonly kind: 'known'; readonly revision: RevisionObject; readonly changed: boolean }
  | { readonly kind: 'create'; readonly revision: RevisionObject; readonly changed: boolean; readonly message: string };

/** `current` is the key that the leaders' StatefulSet has; undefined when there is none yet. */
export function chooseRevision(
  lws: LwsObject,
  all: readonly RevisionObject[],
  current: string | undefined,
): RevisionChoice {
  const data = revisionData(lws);
  const running = findRevision(all, current ?? '');
  if (running && sameRevision(running, data)) return { kind: 'unchanged', revision: running };
  const changed = running !== undefined;
  // A revision whose StatefulSet was refused is there already, and is not made again with every attempt.
  const equal = newest(all.filter((revision) => sameRevision(revision, data)));
  if (equal && (changed || current === undefined)) return { kind: 'known', revision: equal, changed };
  const revision = newLwsRevision(lws, all, changed ? '' : (current ?? ''));
  return { kind: 'create', revision, changed, message: creationMessage(revisionKeyOf(revision), changed, current) };
}

function creationMessage(key: string, changed: boolean, current: string | undefined): string {
  if (changed) return `Creating revision with key ${key} for updated LWS`;
  return current
    ? `Creating missing revision with key ${key} for existing LeaderWorkerSet`
    : `Creating revision with key ${key} for a newly created LeaderWorkerSet`;
}

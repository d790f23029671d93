// The API server that the operator works for. Its objects are made up; what it does with them is what an API server does.
import { setTimeout } from 'node:timers/promises';
import { answerWith } from '../cluster/answering.ts';
import { ApiServer } from './api-server.ts';
import { type Collection, StoredCollection, Versions } from './collection.ts';
import { namespaceNames, type Workload, workloadOfPod, workloads } from './fleet.ts';
import { deploymentObject, pdbObject, pubObject, replicaSetObjects } from './fleet-objects.ts';
import { type Kind, kinds } from './kinds.ts';
import { LedgerBoard } from './ledger-board.ts';
import type { Statuses, ToApi } from './messages.ts';
import { PodCollection } from './pods.ts';
import { registeredWebhook } from './registered-webhook.ts';
import { serveApi } from './serving.ts';
import { StatusBoard } from './status-board.ts';

const operatorNamespace = 'holdfast-system';

const versions = new Versions();
const pods = new PodCollection(versions);
const collections = new Map<Kind, Collection>(
  Object.values(kinds).map((kind) => [kind, kind === kinds.pods ? pods : new StoredCollection(kind, versions)]),
);
const statuses = new StatusBoard((pod) => pods.isReady(pod));
const ledgers = new LedgerBoard();
let ledgerDelayMs = 0;

for (const name of [...namespaceNames(), 'kube-system', operatorNamespace]) {
  const labels = { 'kubernetes.io/metadata.name': name };
  collections.get(kinds.namespaces)?.put(undefined, name, { metadata: { labels }, status: { phase: 'Active' } });
}
for (const workload of workloads) addWorkload(workload);

function addWorkload(workload: Workload): void {
  const { namespace, name, protection } = workload;
  collections.get(kinds.deployments)?.put(namespace, name, deploymentObject(workload));
  for (const set of replicaSetObjects(workload))
    collections.get(kinds.replicasets)?.put(namespace, set.name, set.object);
  if (protection === 'groups') collections.get(kinds.pdbs)?.put(namespace, name, pdbObject(workload));
  if (protection === 'pods') collections.get(kinds.pubs)?.put(namespace, name, pubObject(workload));
}

const api = new ApiServer({
  versions,
  collections,
  observe(kind, before, after) {
    if (kind === kinds.pdbs || kind === kinds.pubs) statuses.written(after);
    if (kind === kinds.ledgers) ledgers.written(before, after);
  },
  delayMs: (kind) => (kind === kinds.ledgers ? ledgerDelayMs : 0),
});

answerWith<ToApi>((message) => {
  switch (message.do) {
    case 'flip':
      return flip(message);
    case 'statuses':
      return untilRight(performance.now(), statuses.writes, message.patienceMs);
    case 'webhook':
      return registeredWebhook(collections);
    case 'delay ledgers':
      ledgerDelayMs = message.ms;
      return {};
    case 'ledger figures':
      return ledgers.take();
  }
});

function flip({ pods: flipped, ready, patienceMs }: Extract<ToApi, { do: 'flip' }>): Promise<Statuses> {
  const before = statuses.writes;
  const begun = performance.now();
  for (const pod of flipped) {
    pods.setReady(pod, ready);
    statuses.look(workloadOfPod(pod));
  }
  return untilRight(begun, before, patienceMs);
}

async function untilRight(begun: number, writesBefore: number, patienceMs: number): Promise<Statuses> {
  const over = new AbortController();
  const late = setTimeout(patienceMs, undefined, { signal: over.signal }).catch(() => undefined);
  const at = await Promise.race([statuses.allRight(), late]);
  over.abort();
  const ms = (at ?? performance.now()) - begun;
  return { wrong: statuses.wrong, examples: statuses.examples(), writes: statuses.writes - writesBefore, ms };
}

await serveApi({ api, collections, versions });

// The API server that the agent and the operator work for. It is the one of the webhook's suite, with pods that are kept.
import { isMap, type JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { probeLeaseName } from '../../packages/holdfast/src/kube/probes/lease-name.ts';
import { answerWith } from '../cluster/answering.ts';
import { ApiServer, conditionsOf } from '../webhook/api-server.ts';
import { type Collection, metadataOf, StoredCollection, Versions } from '../webhook/collection.ts';
import { type Kind, kinds } from '../webhook/kinds.ts';
import { registeredWebhook } from '../webhook/registered-webhook.ts';
import { serveApi } from '../webhook/serving.ts';
import { fleetBudgetObjects, fleetLease, fleetNamespaces, fleetNodes, fleetPodObjects } from './fleet.ts';
import type { Published, Renewals, ToApi } from './messages.ts';
import { podName, podNamespace, probedNode, probedPod, probedPods, probeOf } from './pods.ts';

const operatorNamespace = 'holdfast-system';
const tickMs = 20;

const versions = new Versions();
const collections = new Map<Kind, Collection>(
  Object.values(kinds).map((kind) => [kind, new StoredCollection(kind, versions)]),
);
const collection = (kind: Kind) => collections.get(kind) as Collection;
const writes = { condition: 0, lease: 0 };
const renewals = { leases: 0, changed: 0 };
let renewing: NodeJS.Timeout | undefined;

const api = new ApiServer({
  versions,
  collections,
  observe(kind) {
    if (kind === kinds.pods) writes.condition += 1;
    if (kind === kinds.leases) writes.lease += 1;
  },
  delayMs: () => 0,
});

for (const name of [...fleetNamespaces(), 'kube-system', operatorNamespace]) {
  const labels = { 'kubernetes.io/metadata.name': name };
  collection(kinds.namespaces).put(undefined, name, { metadata: { labels }, status: { phase: 'Active' } });
}

answerWith<ToApi>((message) => {
  switch (message.do) {
    case 'add pods':
      return addPods(message);
    case 'published':
      return published();
    case 'add fleet':
      return addFleet();
    case 'renew':
      return renew(message);
    case 'renewals':
      return { ...renewals } satisfies Renewals;
    case 'generous budgets':
      return { count: generousBudgets() };
    case 'webhook':
      return registeredWebhook(collections);
  }
});

function addPods({ handler, port }: Extract<ToApi, { do: 'add pods' }>): object {
  const probe = probeOf(handler, port);
  for (let pod = 0; pod < probedPods; pod += 1) {
    collection(kinds.pods).put(podNamespace, podName(pod), probedPod(pod, probedNode, probe));
  }
  return {};
}

function published(): Published {
  const pods = Array.from({ length: probedPods }, (_, pod) => collection(kinds.pods).get(podNamespace, podName(pod)));
  const shown = pods.filter((pod) => pod !== undefined && conditionsOf(pod).some(isDisruptable)).length;
  const lease = collection(kinds.leases).get(operatorNamespace, probeLeaseName(probedNode));
  const annotations = lease === undefined ? {} : metadataOf(lease)['annotations'];
  const list = isMap(annotations) ? String(annotations['holdfast.dev/disruptable-pods'] ?? '') : '';
  const listed = list.split(' ').filter((uid) => uid !== '').length;
  return { shown, listed, conditionWrites: writes.condition, leaseWrites: writes.lease };
}

function generousBudgets(): number {
  const allows = ({ type, status }: JsonMap) => type === 'holdfast.dev/GroupBudget' && status === 'True';
  const texts = [...collection(kinds.pdbs).texts(0, Number.POSITIVE_INFINITY)];
  return texts.filter((text) => conditionsOf(JSON.parse(text) as JsonMap).some(allows)).length;
}

function isDisruptable({ type, status }: JsonMap): boolean {
  return type === 'Disruptable' && status === 'True';
}

function addFleet(): object {
  for (const { namespace, name, object } of fleetPodObjects()) collection(kinds.pods).put(namespace, name, object);
  for (const { namespace, name, object } of fleetBudgetObjects()) collection(kinds.pdbs).put(namespace, name, object);
  for (let node = 0; node < fleetNodes; node += 1) writeLease(node, false);
  return {};
}

/** Evenly, node after node, as agents do that do not go in step. */
function renew({ perSecond, changing }: Extract<ToApi, { do: 'renew' }>): object {
  clearInterval(renewing);
  if (perSecond === 0) return {};
  const begun = performance.now();
  let done = 0;
  renewing = setInterval(() => {
    for (const due = ((performance.now() - begun) / 1_000) * perSecond; done < due; done += 1) {
      // Every so many renewals a pod leaves the list, or is back in it at the next.
      const changes = changing > 0 && done % Math.round(1 / changing) === 0;
      writeLease(done % fleetNodes, changes);
      renewals.leases += 1;
      if (changes) renewals.changed += 1;
    }
  }, tickMs);
  return {};
}

function writeLease(node: number, without: boolean): void {
  const { name, object } = fleetLease(node, new Date().toISOString(), without);
  collection(kinds.leases).put(operatorNamespace, name, object);
}

await serveApi({ api, versions, collections });

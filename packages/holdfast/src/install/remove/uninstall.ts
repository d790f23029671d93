import type { Namespace } from 'kubernetes-types/core/v1.js';
import { agentsNamespace, certificateSecret, electionLease, pathSecret } from '../../api/installation-names.ts';
import { label } from '../../api/names.ts';
import { resources } from '../../observe/resources.ts';
import { elsewhere } from '../apply/elsewhere.ts';
import type { Patience } from '../apply/wait-until.ts';
import { type ApiOptions, ClusterApi } from '../cluster-api.ts';
import { endedBy } from '../failures.ts';
import { type OwnKind, ownKinds } from '../manifests/own-kinds.ts';
import { type Intent, missingRights } from '../manifests/rights.ts';
import { done, type Ended, type Reporter } from '../outcome.ts';
import { removeDefinitions } from './remove-definitions.ts';
import { removeNamespace } from './remove-namespace.ts';
import { removeKinds, removeNamed } from './remove-objects.ts';
import { withdrawNumbers } from './withdraw-numbers.ts';

export interface UninstallRequest {
  readonly namespace: string;
  /** Also the definitions, and with them every budget and ledger there is. */
  readonly deleteUserData: boolean;
  readonly timeoutMs: number;
  /** The API server is asked, and nothing is removed. */
  readonly dryRun?: boolean;
}

export interface UninstallPorts extends ApiOptions {
  readonly report: Reporter;
}

/** What the operator itself writes into its namespace, which may outlive it. */
const operatorData = [
  { apiVersion: 'v1', kind: 'Secret', namespaced: true, name: certificateSecret },
  { apiVersion: 'v1', kind: 'Secret', namespaced: true, name: pathSecret },
  { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespaced: true, name: electionLease },
] as const;

type OperatorData = (typeof operatorData)[number];

/** One thing after the other; what is not there is done already. */
type Removal = (api: ClusterApi, request: UninstallRequest, patience: Patience) => Promise<Ended>;

const requests = ownKinds.filter(({ stage }) => stage === 'requests').toReversed();
const workloads = ownKinds.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
const others = ownKinds.filter(({ stage, kind }) => stage === 'operator' && kind !== 'Deployment').toReversed();

/**
 * In this order, so that at no time a request waits for an operator that is gone, and so that no replica brings back what was
 * removed: the guard labels are removed when no leader is left that would set them.
 */
const removals: readonly Removal[] = [
  (api, { namespace }, patience) => removeKinds(api, requests, namespace, patience),
  (api, { namespace }, patience) => removeKinds(api, workloads, namespace, patience),
  (api, { namespace }, patience) => removeKinds(api, others, namespace, patience),
  (api, _, { report }) => removeGuards(api, report),
  (api, _, { report }) => withdrawNumbers(api, report),
  removeOperatorData,
  (api, { deleteUserData }, patience) => removeDefinitions(api, deleteUserData, patience),
  (api, _, patience) => removeNamespace(api, agentsNamespace, patience),
  (api, { namespace }, patience) => removeNamespace(api, namespace, patience),
];

/** Removes an installation, or what is there of one; done twice, it finds nothing. */
export async function uninstall(request: UninstallRequest, ports: UninstallPorts): Promise<Ended> {
  const api = new ClusterApi({ ...ports, dryRun: request.dryRun === true });
  const patience = { untilMs: ports.clock.monotonic() + request.timeoutMs, report: ports.report };
  const obstacle = await obstacleBefore(api, request);
  if (obstacle.kind !== 'done') return obstacle;
  for (const remove of removals) {
    const ended = await remove(api, request, patience);
    if (ended.kind !== 'done') return ended;
  }
  return done;
}

async function obstacleBefore(api: ClusterApi, request: UninstallRequest): Promise<Ended> {
  const intents: Intent[] = [];
  for (const kind of [...ownKinds, ...operatorData]) {
    const resource = await api.resourceOf(kind);
    if (resource.ok) intents.push({ resource: resource.value, ...rightsFor(kind, request) });
    else if (resource.failure.kind !== 'notFound') return endedBy(resource.failure, unasked).ended;
  }
  const missing = await missingRights(api, intents);
  if (!missing.ok) return endedBy(missing.failure, 'the cluster cannot be asked what you may do').ended;
  if (missing.value.length > 0) return { kind: 'denied', missing: missing.value };
  return elsewhere(api, request.namespace);
}

const unasked = 'the cluster cannot be asked what it serves';

function rightsFor(kind: OwnKind | OperatorData, request: UninstallRequest): Omit<Intent, 'resource'> {
  const isAnywhere = 'anywhere' in kind && kind.anywhere === true;
  const namespace = kind.namespaced && !isAnywhere ? request.namespace : undefined;
  if ('name' in kind) return { verbs: ['get', 'delete'], namespace, name: kind.name };
  return { verbs: verbsFor(kind, request), namespace, name: undefined };
}

function verbsFor({ kind }: OwnKind, { deleteUserData }: UninstallRequest): readonly string[] {
  if (kind === 'Namespace') return ['list', 'patch', 'delete'];
  if (kind === 'CustomResourceDefinition') return deleteUserData ? ['get', 'delete'] : ['get'];
  return ['list', 'delete'];
}

/** Only those that the operator set: `disabled` is a person's word. */
async function removeGuards(api: ClusterApi, report: Reporter): Promise<Ended> {
  const { namespaces } = resources;
  const guarded = await api.list<Namespace>(namespaces, { labelSelector: `${label.guard}=enabled` });
  if (!guarded.ok) return endedBy(guarded.failure, 'cannot list namespaces').ended;
  for (const { metadata } of guarded.value) {
    const place = { namespace: undefined, name: metadata?.name ?? '' };
    const removed = await api.removeLabel(namespaces, place, label.guard, 'enabled');
    // Whose label changed meanwhile, or which is gone, needs nothing any more.
    if (!removed.ok && removed.failure.kind !== 'rejected' && removed.failure.kind !== 'notFound') {
      return endedBy(removed.failure, `namespace/${place.name}`).ended;
    }
    const ref = { group: '', version: 'v1', kind: 'Namespace', ...place };
    if (removed.ok) report({ kind: 'object', ref, result: { kind: 'unlabelled', label: label.guard } });
  }
  return done;
}

async function removeOperatorData(
  api: ClusterApi,
  { namespace }: UninstallRequest,
  patience: Patience,
): Promise<Ended> {
  for (const { name, ...kind } of operatorData) {
    const ended = await removeNamed(api, kind, { namespace, name }, patience);
    if (ended.kind !== 'done') return ended;
  }
  return done;
}

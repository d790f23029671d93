import type { LiveWorld } from '../../../observe/once/live-world.ts';
import { Problem } from '../../../observe/problem.ts';
import type { Fleet } from '../fleet.ts';
import { json, problem, type Reply } from '../serve/answers.ts';
import type { DetailApi } from '../serve/ui-server.ts';
import { liveWorldOf } from '../watch/live-cluster.ts';
import type { WhatIfJobs } from '../what-if/jobs.ts';
import { budgetDetail } from './budget-detail.ts';
import { agentOf, builtinStatuses, conditionsOfPod, manifestOf } from './cluster-reads.ts';
import { nodeDetail } from './node-detail.ts';
import { podDetail } from './pod-detail.ts';

/** Answers about one node, budget or pod, and about what would happen. */
export function createDetailApi(fleet: Fleet, jobs: WhatIfJobs): DetailApi {
  return {
    get: (path) => readable(() => get(fleet, jobs, path)),
    post: async ([what, ...rest], body) => (what === 'what-if' && rest.length === 0 ? jobs.start(body) : undefined),
  };
}

async function get(fleet: Fleet, jobs: WhatIfJobs, [what, ...rest]: readonly string[]): Promise<Reply | undefined> {
  const [first = '', second = '', third = ''] = rest;
  if (what === 'nodes' && rest.length === 1) return nodeReply(fleet, first);
  if (what === 'budgets' && rest.length === 3) return budgetReply(fleet, first, second, third);
  if (what === 'pods' && rest.length === 2) return podReply(fleet, first, second);
  if (what === 'what-if' && rest.length === 1) {
    return first.endsWith('.html') ? jobs.report(first.slice(0, -'.html'.length)) : jobs.get(first);
  }
  return undefined;
}

/** The API server may be away: what is asked for on demand cannot be had then. */
async function readable(answer: () => Promise<Reply | undefined>): Promise<Reply | undefined> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof Problem) return problem('notReady', error.message, error.advice);
    throw error;
  }
}

async function nodeReply(fleet: Fleet, name: string): Promise<Reply> {
  const { watch, session } = fleet;
  const tile = fleet.publisher.model.nodes.find(({ key }) => key === name);
  if (tile === undefined) return problem('notFound', `node ${name} does not exist`);
  const live = await withAgent(fleet, name);
  return json(nodeDetail({ ...live, readAt: session.clock.now() }, watch.node(name) ?? { name }, fleet.access));
}

async function budgetReply(fleet: Fleet, kind: string, namespace: string, name: string): Promise<Reply> {
  if (kind !== 'pdb' && kind !== 'pub') return problem('notFound', 'the kind of a budget is pdb or pub');
  const { watch, session } = fleet;
  const absent = problem('notFound', `${kind}/${name} does not exist in namespace ${namespace}`);
  const key = `${kind}/${namespace}/${name}`;
  const bar = fleet.publisher.model.budgets.find((one) => one.key === key);
  if (bar === undefined) return absent;
  const builtin = kind === 'pdb' ? await builtinStatuses(session, namespace, [name]) : new Map();
  const manifest = await manifestOf(session, kind, { namespace, name });
  const live = { ...liveWorldOf(watch, session, fleet.within), builtin };
  const confirmedAt = (node: string) => watch.confirmedAt(node);
  const detail = budgetDetail({ live, bar, confirmedAt, manifest, access: fleet.access });
  return detail === undefined ? absent : json(detail);
}

async function podReply(fleet: Fleet, namespace: string, name: string): Promise<Reply> {
  const { watch, session } = fleet;
  const absent = problem('notFound', `pod ${name} does not exist in namespace ${namespace}`);
  const record = watch.world.pod(namespace, name);
  if (record === undefined) return absent;
  const conditions = await conditionsOfPod(session, { namespace, name });
  const budgets = record.pdbs.map(({ ref }) => ref.name);
  const builtin = await builtinStatuses(session, namespace, budgets);
  const live = { ...(await withAgent(fleet, record.node)), builtin, readAt: session.clock.now() };
  const detail = podDetail({ live, namespace, name, conditions, access: fleet.access });
  return detail === undefined ? absent : json(detail);
}

/** Who confirms the probes of a node is read where it is asked for: watches keep only what verdicts depend on. */
async function withAgent({ watch, session, within }: Fleet, node: string | undefined): Promise<LiveWorld> {
  const holder = node !== undefined && watch.leases().has(node) ? await agentOf(session, node) : '';
  const live = liveWorldOf(watch, session, within);
  const lease = node === undefined ? undefined : live.leases.get(node);
  if (lease === undefined || node === undefined) return live;
  return { ...live, leases: new Map([...live.leases, [node, { ...lease, holder }]]) };
}

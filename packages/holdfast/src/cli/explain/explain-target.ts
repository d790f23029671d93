import { type Fields, isObject } from '@holdfast/base/json';
import type { Condition } from '@holdfast/base/meta';
import type { Operation } from '../../core/request.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import { readNode } from '../../observe/once/nodes.ts';
import { Problem } from '../../observe/problem.ts';
import { resources } from '../../observe/resources.ts';
import type { Session } from '../../observe/session.ts';
import { budgetText, mayBreak } from './budget-text.ts';
import { dryRunEviction } from './dry-run.ts';
import { explainBudget } from './explain-budget.ts';
import { explainNode } from './explain-node.ts';
import { explainPod } from './explain-pod.ts';
import { nodeText } from './node-text.ts';
import { podText, type WordsOptions } from './pod-text.ts';
import type { ExplainTarget } from './target.ts';

/** What is to be shown, in words and for programs. */
export interface Explained {
  readonly value: object;
  readonly text: (options: WordsOptions) => string;
  /** The answer is yes. */
  readonly yes: boolean;
  /** Codes of the refusals because of which it is no. */
  readonly refusals: readonly string[];
}

export interface ExplainOptions {
  readonly namespace?: string;
  readonly operation: 'evict' | 'delete' | 'update' | 'resize';
  /** `--no-dry-run` */
  readonly dryRun: boolean;
}

export async function explainTarget(
  session: Session,
  live: LiveWorld,
  target: ExplainTarget,
  options: ExplainOptions,
): Promise<Explained> {
  const place = { namespace: options.namespace ?? session.namespace, name: target.name };
  switch (target.kind) {
    case 'pod':
      return podExplained(session, live, place, options);
    case 'node':
      return nodeExplained(session, live, target.name);
    case 'pdb':
    case 'pub':
      return budgetExplained(live, target.kind, place);
  }
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

async function podExplained(
  session: Session,
  live: LiveWorld,
  place: Place,
  options: ExplainOptions,
): Promise<Explained> {
  const record = live.world.pod(place.namespace, place.name);
  if (record === undefined) throw notThere('pod', place);
  const operation = options.operation.toUpperCase() as Operation;
  const found = await new KindReader(session).get<Fields>(resources.pods, place);
  const conditions = found.kind === 'found' ? conditionsOf(found.object) : [];
  const isAsked = options.dryRun && operation === 'EVICT';
  const said = isAsked ? await dryRunEviction(session, { ...place, uid: record.uid }) : ({ kind: 'skipped' } as const);
  const value = explainPod(live, { ...place, operation, conditions, said });
  if (value === undefined) throw notThere('pod', place);
  const { verdict, asked } = value.holdfast;
  const refusals = verdict.result === 'deny' && asked.kind !== 'no' ? verdict.blockers.map(({ code }) => code) : [];
  return { value, text: (words) => podText(value, words), yes: value.answer.may, refusals };
}

async function nodeExplained(session: Session, live: LiveWorld, name: string): Promise<Explained> {
  const node = await readNode(new KindReader(session), name);
  if (node.kind === 'absent') throw new Problem(`node ${name} does not exist`, 'kubectl get nodes lists them.');
  const value = explainNode(live, node.kind === 'found' ? node.object : { name });
  const yes = value.node.later + value.node.stuck === 0;
  return { value, text: (words) => nodeText(value, words), yes, refusals: Object.keys(value.node.reasons) };
}

function budgetExplained(live: LiveWorld, kind: 'pdb' | 'pub', place: Place): Explained {
  const value = explainBudget(live, kind, place);
  if (value === undefined) {
    const left = live.registrations.kind === 'known' && live.registrations.kruise;
    if (kind === 'pub' && left) throw new Problem('PodUnavailableBudgets are left to Kruise, which is registered here');
    throw notThere(kind, place);
  }
  const refusals = value.budget.blocked === undefined ? [] : [value.budget.blocked.code];
  return { value, text: (words) => budgetText(value, words), yes: mayBreak(value), refusals };
}

function notThere(kind: string, { namespace, name }: Place): Problem {
  return new Problem(
    `${kind}/${name} does not exist in namespace ${namespace}`,
    'Name another one, or its namespace with -n.',
  );
}

function conditionsOf({ status }: Fields): readonly Condition[] {
  const conditions = isObject(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? (conditions.filter(isObject) as never) : [];
}

import { Command, Option } from 'commander';
import { type Fields, isObject } from '../../api/json.ts';
import type { Condition } from '../../api/meta.ts';
import type { Operation } from '../../core/request.ts';
import { resources } from '../../operator/resources.ts';
import { type LiveFlags, withLiveFlags, withNamespaceFlag, withOutputFlag } from '../live/flags.ts';
import { gapText } from '../live/gap.ts';
import { KindReader } from '../live/kind-reader.ts';
import type { LiveWorld } from '../live/live-world.ts';
import { readNode } from '../live/nodes.ts';
import { readWorld } from '../live/read-world.ts';
import { everywhere, only, type Scope } from '../live/scope.ts';
import { type Session, withSession } from '../live/session.ts';
import { paintFor } from '../output/paint.ts';
import { exitCode, Problem } from '../output/problem.ts';
import { isStructured, type StructuredFormat, structured } from '../output/structured.ts';
import { remarksOf } from '../status/report.ts';
import { budgetText, mayBreak } from './budget-text.ts';
import { dryRunEviction } from './dry-run.ts';
import { explainBudget } from './explain-budget.ts';
import { explainNode } from './explain-node.ts';
import { explainPod } from './explain-pod.ts';
import { nodeText } from './node-text.ts';
import { podText, type WordsOptions } from './pod-text.ts';
import { parseTarget, type Target } from './target.ts';

interface Options extends LiveFlags {
  readonly namespace?: string;
  readonly output?: StructuredFormat;
  readonly operation: 'evict' | 'delete' | 'update' | 'resize';
  /** `--no-dry-run` */
  readonly dryRun: boolean;
}

/** What is to be shown, in words and for programs. */
interface Explained {
  readonly value: object;
  readonly text: (options: WordsOptions) => string;
  /** The answer is yes. */
  readonly yes: boolean;
}

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('explain why something may go now or not: every budget, every number, and what would help')
    .argument('<target...>', 'pod/NAME, node/NAME, pdb/NAME or pub/NAME')
    .addOption(
      new Option('--operation <operation>', 'of pods: what is to be done to it')
        .choices(['evict', 'delete', 'update', 'resize'])
        .default('evict'),
    )
    .option('--no-dry-run', 'of pods: do not ask the API server with an eviction that is a dry run');
  return withLiveFlags(withOutputFlag(withNamespaceFlag(command), ['json', 'yaml']))
    .addHelpText(
      'after',
      `
It reads, with your own rights, and needs no operator. What you may not read is said, and counts as a no.

Examples:
  holdfast explain pod/web-0 -n shop     may it be evicted, and if not, why
  holdfast explain node/node-1           what a drain would do, pod by pod
  holdfast explain pdb/web -n shop       what its numbers are, and where they come from

Exits with 0 when the answer is yes, with 1 when it is no (of a node: when not all of its pods may go now; of a
budget: when nothing may be broken now), and with 2 when there is no answer.`,
    )
    .action((target: readonly string[], options: Options) => {
      const wanted = parseTarget(target);
      return withSession(options, (session) => run(session, wanted, options));
    });
}

async function run(session: Session, target: Target, options: Options): Promise<void> {
  const live = await readWorld(session, {
    scope: await scopeFor(session, target, options),
    operatorNamespace: options.operatorNamespace,
  });
  const explained = await explain(session, live, target, options);
  const { output } = options;
  if (isStructured(output)) {
    process.stdout.write(structured({ ...explained.value, gaps: live.gaps, remarks: remarksOf(live) }, output));
  } else {
    const paint = paintFor({ isTTY: process.stdout.isTTY, env: process.env });
    process.stdout.write(`${explained.text({ paint, now: live.readAt })}\n`);
    for (const gap of live.gaps) process.stderr.write(`warning: ${gapText(gap)}\n`);
    for (const remark of remarksOf(live)) process.stderr.write(`note: ${remark}\n`);
  }
  if (!explained.yes) process.exitCode = exitCode.no;
}

/** From so many namespaces on, reading all is cheaper. */
const maxNamespaces = 10;

/** A verdict about a pod needs all of its namespace; one about a node, all namespaces of its pods. */
async function scopeFor(session: Session, { kind, name }: Target, options: Options): Promise<Scope> {
  if (kind !== 'node') return only(options.namespace ?? session.namespace);
  const fieldSelector = `spec.nodeName=${name}`;
  const namespaceOf = ({ metadata }: Fields) => (isObject(metadata) ? String(metadata['namespace']) : '');
  const pods = await new KindReader(session).listResource(resources.pods, everywhere, namespaceOf, { fieldSelector });
  if (pods.kind !== 'read') {
    const why = pods.kind === 'denied' ? pods.why : 'the server has no pods';
    throw new Problem(
      `the pods of node ${name} cannot be read: ${why}`,
      'It needs the right to list pods in all namespaces.',
    );
  }
  const namespaces = [...new Set(pods.items)].sort();
  return namespaces.length > maxNamespaces ? everywhere : only(...namespaces);
}

async function explain(session: Session, live: LiveWorld, target: Target, options: Options): Promise<Explained> {
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

async function podExplained(session: Session, live: LiveWorld, place: Place, options: Options): Promise<Explained> {
  const record = live.world.pod(place.namespace, place.name);
  if (record === undefined) throw notThere('pod', place);
  const operation = options.operation.toUpperCase() as Operation;
  const found = await new KindReader(session).get<Fields>(resources.pods, place);
  const conditions = found.kind === 'found' ? conditionsOf(found.object) : [];
  const isAsked = options.dryRun && operation === 'EVICT';
  const said = isAsked ? await dryRunEviction(session, { ...place, uid: record.uid }) : ({ kind: 'skipped' } as const);
  const value = explainPod(live, { ...place, operation, conditions, said });
  if (value === undefined) throw notThere('pod', place);
  return { value, text: (words) => podText(value, words), yes: value.answer.may };
}

async function nodeExplained(session: Session, live: LiveWorld, name: string): Promise<Explained> {
  const node = await readNode(new KindReader(session), name);
  if (node.kind === 'absent') throw new Problem(`node ${name} does not exist`, 'kubectl get nodes lists them.');
  const value = explainNode(live, node.kind === 'found' ? node.object : { name });
  return { value, text: (words) => nodeText(value, words), yes: value.node.later + value.node.stuck === 0 };
}

function budgetExplained(live: LiveWorld, kind: 'pdb' | 'pub', place: Place): Explained {
  const value = explainBudget(live, kind, place);
  if (value === undefined) {
    const left = live.registrations.kind === 'known' && live.registrations.kruise;
    if (kind === 'pub' && left) throw new Problem('PodUnavailableBudgets are left to Kruise, which is registered here');
    throw notThere(kind, place);
  }
  return { value, text: (words) => budgetText(value, words), yes: mayBreak(value) };
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

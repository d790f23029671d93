import { type Fields, isObject } from '@holdfast/base/json';
import { Command, Option } from 'commander';
import { gapText } from '../../observe/once/gap.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import { readWorld } from '../../observe/once/read-world.ts';
import { everywhere, only, type Scope } from '../../observe/once/scope.ts';
import { ensureSight, onlyUnseen } from '../../observe/once/sight.ts';
import { exitCode, Problem, problemText } from '../../observe/problem.ts';
import { resources } from '../../observe/resources.ts';
import type { Session } from '../../observe/session.ts';
import { type LiveFlags, withLiveFlags, withNamespaceFlag, withOutputFlag } from '../live/flags.ts';
import { withSession } from '../live/session.ts';
import { paintFor } from '../output/paint.ts';
import { isStructured, type StructuredFormat, structured } from '../output/structured.ts';
import { remarksOf } from '../status/report.ts';
import { type Explained, type ExplainOptions, explainTarget } from './explain-target.ts';
import { type ExplainTarget, parseTargets } from './target.ts';

interface Options extends LiveFlags, ExplainOptions {
  readonly output?: StructuredFormat;
}

const explainDescription =
  'explain why a pod, a node or a budget may be disrupted now or not: every budget, every number, and what would help';

export function explainCommand(): Command {
  const command = new Command('explain')
    .description(explainDescription)
    .argument('<target...>', 'pod/NAME, node/NAME, pdb/NAME or pub/NAME, one or more')
    .addOption(
      new Option('--operation <operation>', 'for pods: what is to be done to them')
        .choices(['evict', 'delete', 'update', 'resize'])
        .default('evict'),
    )
    .option('--no-dry-run', 'for pods: do not send the API server an eviction with dryRun=All');
  return withLiveFlags(withOutputFlag(withNamespaceFlag(command), ['json', 'yaml']))
    .addHelpText(
      'after',
      `
It only reads, with your own rights, and needs no operator. If you may not read what the answer depends on, the answer
is "unknown".

Examples:
  holdfast explain pod/web-0 -n shop            may it be evicted, and if not, why
  holdfast explain pod/web-0 pod/web-1 -n shop  the same for two pods
  holdfast explain node/node-1                  what a drain would do, pod by pod
  holdfast explain pdb/web -n shop              what its numbers are, and where they come from

Exit codes: 0 the answer is yes; 1 it is no for at least one target (node: a pod cannot be evicted now; budget: it allows
no disruption now); 2 there is no answer.`,
    )
    .action((given: readonly string[], options: Options) => {
      const targets = parseTargets(given);
      return withSession(options, (session) => run(session, targets, options));
    });
}

async function run(session: Session, targets: readonly ExplainTarget[], options: Options): Promise<void> {
  const live = await readWorld(session, {
    scope: await scopeFor(session, targets, options),
    operatorNamespace: options.operatorNamespace,
  });
  ensureSight(live.gaps);
  const explained: Explained[] = [];
  for (const target of targets) explained.push(await explainTarget(session, live, target, options));
  show(explained, live, options);
  const unknown = explained.flatMap(({ yes, refusals }) => (yes ? [] : (onlyUnseen(live.gaps, refusals) ?? [])));
  for (const text of new Set(unknown.map(problemText))) process.stderr.write(text);
  if (unknown.length > 0) process.exitCode = exitCode.problem;
  else if (explained.some(({ yes }) => !yes)) process.exitCode = exitCode.no;
}

function show(explained: readonly Explained[], live: LiveWorld, { output }: Options): void {
  if (isStructured(output)) {
    const [first, ...others] = explained.map(({ value }) => value);
    const value = others.length === 0 ? first : { items: [first, ...others] };
    process.stdout.write(structured({ ...value, gaps: live.gaps, remarks: remarksOf(live) }, output));
    return;
  }
  const paint = paintFor({ isTTY: process.stdout.isTTY, env: process.env });
  const texts = explained.map(({ text }) => text({ paint, now: live.readAt }));
  process.stdout.write(`${texts.join('\n\n\n')}\n`);
  for (const gap of live.gaps) process.stderr.write(`warning: ${gapText(gap)}\n`);
  for (const remark of remarksOf(live)) process.stderr.write(`note: ${remark}\n`);
}

/** From so many namespaces on, reading all is cheaper. */
const maxNamespaces = 10;

/** A verdict about a pod needs all of its namespace; one about a node, all namespaces of its pods. */
async function scopeFor(session: Session, targets: readonly ExplainTarget[], options: Options): Promise<Scope> {
  const namespaces = new Set<string>();
  for (const { kind, name } of targets) {
    if (kind !== 'node') namespaces.add(options.namespace ?? session.namespace);
    else for (const namespace of await namespacesOn(session, name)) namespaces.add(namespace);
  }
  return namespaces.size > maxNamespaces ? everywhere : only(...[...namespaces].sort());
}

async function namespacesOn(session: Session, node: string): Promise<readonly string[]> {
  const fieldSelector = `spec.nodeName=${node}`;
  const namespaceOf = ({ metadata }: Fields) => (isObject(metadata) ? String(metadata['namespace']) : '');
  const pods = await new KindReader(session).listResource(resources.pods, everywhere, namespaceOf, { fieldSelector });
  if (pods.kind === 'read') return pods.items;
  const why = pods.kind === 'denied' ? pods.why : 'the server has no pods';
  throw new Problem(
    `unknown: the pods of node ${node} cannot be read: ${why}`,
    'You need the right to list pods in all namespaces (ClusterRole view grants it).',
  );
}

import { matches } from '@holdfast/base/labels/label-selector';
import { type KubeObject, parseLabelSelector } from '@holdfast/embedded-cluster/objects';
import { Command, InvalidArgumentError, Option } from 'commander';
import { compareStrings } from '../../core/compare.ts';
import { Problem } from '../../observe/problem.ts';
import { durationMs } from '../duration.ts';
import { readPlanFile } from '../plan/plan-file.ts';
import type { Scenario } from './simulation-result.ts';

/** What was asked for, before it is known which nodes there are. */
export type ScenarioRequest = { readonly order: 'groups' | 'all' } & (
  | { readonly kind: 'drain'; readonly nodes: readonly string[] }
  | { readonly kind: 'zone'; readonly zone: string }
  | {
      readonly kind: 'upgrade';
      readonly selector?: string;
      readonly maxUnavailable: Share;
      readonly nodeTime: number;
    }
  /** Without waves: of a plan that is made from the snapshot. */
  | { readonly kind: 'plan'; readonly waves?: readonly (readonly string[])[]; readonly nodeTime: number }
);

/** The waves of a plan for all nodes of the snapshot. */
export type MakePlan = () => readonly (readonly string[])[];

/** So many, or so many percent of all. */
interface Share {
  readonly count: number;
  readonly percent: boolean;
}

const advice =
  'Add it after --, for example: holdfast simulate snapshot.yaml -- drain node-1 (holdfast simulate --help).';

/** Reads what stands after `--`. */
export async function readScenarioRequest(words: readonly string[] | undefined): Promise<ScenarioRequest> {
  if (words === undefined || words.length === 0) throw new Problem('nothing to simulate was named', advice);
  let request: ScenarioRequest | undefined;
  const scenarios = new Command('simulate ... --')
    .exitOverride()
    .showHelpAfterError('(holdfast simulate --help)')
    .addCommand(
      withOrder(new Command('drain').argument('<node...>', 'nodes')).action((nodes, { order }) => {
        request = { kind: 'drain', nodes: [...new Set<string>(nodes)], order };
      }),
    )
    .addCommand(
      withOrder(new Command('zone').argument('<zone>', 'a zone')).action((zone, { order }) => {
        request = { kind: 'zone', zone, order };
      }),
    )
    .addCommand(
      withOrder(new Command('upgrade'))
        .option('-l, --selector <query>', 'only nodes with these labels')
        .addOption(new Option('--max-unavailable <n>').argParser(shareOf).default({ count: 1, percent: false }))
        .addOption(new Option('--node-time <duration>').argParser(durationMs).default(180_000))
        .action((options) => {
          request = { kind: 'upgrade', ...options };
        }),
    );
  scenarios.addCommand(
    withOrder(new Command('plan').argument('[file]', 'the output of `holdfast plan -o json`'))
      .addOption(new Option('--node-time <duration>').argParser(durationMs).default(180_000))
      .action((file: string | undefined, options) => {
        const waves =
          file === undefined ? {} : { waves: readPlanFile(file).waves.map((wave) => wave.map(({ name }) => name)) };
        request = { kind: 'plan', ...options, ...waves };
      }),
  );
  for (const command of scenarios.commands) command.exitOverride();
  await scenarios.parseAsync([...words], { from: 'user' });
  if (request === undefined) throw new Problem('nothing to simulate was named', advice);
  return request;
}

function withOrder(command: Command): Command {
  return command.addOption(new Option('--order <order>').choices(['groups', 'all']).default('groups'));
}

function shareOf(text: string): Share {
  const [, digits = '', sign = ''] = /^(\d{1,5})(%?)$/.exec(text) ?? [];
  const count = Number(digits);
  if (digits === '' || count === 0 || (sign === '%' && count > 100)) {
    throw new InvalidArgumentError('must be a number of nodes from 1, or a percentage such as 25%.');
  }
  return { count, percent: sign === '%' };
}

const zoneLabel = 'topology.kubernetes.io/zone';

/** Which nodes are meant, of those that there are. */
export function scenarioOf(request: ScenarioRequest, nodes: readonly KubeObject[], makePlan: MakePlan): Scenario {
  const names = nodes.map(({ metadata }) => metadata.name).sort(compareStrings);
  switch (request.kind) {
    case 'drain':
      checkNames(request.nodes, names);
      return { kind: 'drain', nodes: request.nodes };
    case 'plan': {
      const waves = request.waves ?? makePlan();
      checkNames(waves.flat(), names);
      return { kind: 'plan', nodes: waves.flat(), waves, nodeMs: request.nodeTime };
    }
    case 'zone': {
      const inZone = nodes.filter(({ metadata }) => metadata.labels?.[zoneLabel] === request.zone);
      if (inZone.length === 0)
        throw new Problem(`no node is in zone ${request.zone}`, `Zones are ${some(zonesOf(nodes))}.`);
      return {
        kind: 'zone',
        zone: request.zone,
        nodes: inZone.map(({ metadata }) => metadata.name).sort(compareStrings),
      };
    }
    case 'upgrade': {
      const chosen = request.selector === undefined ? names : selected(request.selector, nodes);
      const { count, percent } = request.maxUnavailable;
      const atOnce = percent ? Math.max(1, Math.floor((chosen.length * count) / 100)) : Math.min(count, chosen.length);
      return { kind: 'upgrade', nodes: chosen, maxUnavailable: atOnce, nodeMs: request.nodeTime };
    }
  }
}

function checkNames(asked: readonly string[], names: readonly string[]): void {
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Problem(`the snapshot has no node ${unknown.join(', ')}`, `It has ${some(names)}.`);
}

function selected(text: string, nodes: readonly KubeObject[]): readonly string[] {
  const found = nodes.filter(({ metadata }) => matches(selectorOf(text), metadata.labels ?? {}));
  if (found.length === 0) throw new Problem(`no node of the snapshot has the labels ${text}`);
  return found.map(({ metadata }) => metadata.name).sort(compareStrings);
}

function selectorOf(text: string) {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw new Problem(`-l ${text}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function zonesOf(nodes: readonly KubeObject[]): readonly string[] {
  const zones = new Set(nodes.flatMap(({ metadata }) => metadata.labels?.[zoneLabel] ?? []));
  return zones.size === 0 ? ['not known: no node has the label'] : [...zones].sort(compareStrings);
}

const maxNamed = 10;

function some(names: readonly string[]): string {
  return names.length > maxNamed
    ? `${names.slice(0, maxNamed).join(', ')} and ${names.length - maxNamed} more`
    : names.join(', ');
}

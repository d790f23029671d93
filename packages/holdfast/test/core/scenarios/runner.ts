import { aGroupPdb, aPdb, aPod, aPub, ns, type PodBuilder } from '../../../../../test/support/builders.ts';
import { budgetNumbers } from '../../../src/core/budget/numbers.ts';
import { simulateDrain } from '../../../src/core/drain/simulate.ts';
import type { Operation } from '../../../src/core/request.ts';
import { Cluster, workload } from './cluster.ts';
import { drainLines, numbersLine, pruneLines, verdictLine } from './words.ts';

/**
 * Runs a scenario and returns its transcript: every line of the file that is not indented, each followed by what came of it,
 * indented. A file whose text is its own transcript passes. The commands:
 *
 *   lws NAME GxS [on NODE...]           a LeaderWorkerSet of G groups of S pods NAME-G-W, each group on a node of its own
 *   gang NAME GxS [on NODE...]          the same as a Workload with a pod group `worker`
 *   deployment NAME N [on NODE...]      pods NAME-0 ...; also `statefulset`
 *   label POD KEY=VALUE                 also `probe POD agrees|fails`, `pod unready|terminating|gone|back POD`
 *   budget pdb|pub NAME KEY=VALUE...    over the pods with app=NAME, or `select=KEY:VALUE`; `minAvailable`, `maxUnavailable`,
 *                                       `scope`, `unhealthy` (pdb), `group`, `minReady`, `operations` (pub)
 *   evict|delete|update POD...          together, as one batch
 *   drain NODE                          evicts what runs there, one after the other; `plan NODE...` only says what would happen
 *   agent NODE stops|starts, pass Ns, prune [as LEADER], count pdb|pub NAME
 */
export function runScenario(text: string): string {
  const cluster = new Cluster();
  const lines = text.split('\n').filter((line) => !/^\s+\S/.test(line));
  const output = lines.flatMap((line, index) => [line, ...indented(perform(cluster, line, index + 1))]);
  return output.join('\n');
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

type Command = (cluster: Cluster, args: readonly string[]) => readonly string[];

const commands: Readonly<Record<string, Command>> = {
  lws: (cluster, args) => addGroups(cluster, args, lwsPod),
  gang: (cluster, args) => addGroups(cluster, args, gangPod),
  deployment: (cluster, args) => addPods(cluster, 'Deployment', args),
  statefulset: (cluster, args) => addPods(cluster, 'StatefulSet', args),
  label: (cluster, [pod, pair]) => {
    const [key, value] = split(word(pair), '=');
    cluster.change(word(pod), (one) => one.labels({ [key]: value }));
    return [];
  },
  probe: (cluster, [pod, answer]) => {
    const says = choose(word(answer), { agrees: 'True', fails: 'False' } as const);
    cluster.change(word(pod), (one) => one.probed(says));
    return [];
  },
  pod: (cluster, [state, pod]) => {
    choose(word(state), podStates)(cluster, word(pod));
    return [];
  },
  budget: (cluster, [kind, name, ...pairs]) => {
    choose(word(kind), budgetKinds)(cluster, word(name), new Map(pairs.map((pair) => split(pair, '='))));
    return [];
  },
  evict: (cluster, pods) => ask(cluster, 'EVICT', pods),
  delete: (cluster, pods) => ask(cluster, 'DELETE', pods),
  update: (cluster, pods) => ask(cluster, 'UPDATE', pods),
  drain: (cluster, [node]) => cluster.podsOn(word(node)).flatMap((pod) => ask(cluster, 'EVICT', [pod])),
  plan: (cluster, nodes) => {
    const pods = nodes.flatMap((node) => cluster.podsOn(node)).map((name) => ({ namespace: ns, name }));
    return drainLines(simulateDrain(cluster.world, pods, cluster.now, { order: 'any' }));
  },
  agent: (cluster, [node, what]) => {
    if (choose(word(what), { stops: false, starts: true } as const)) cluster.startAgent(word(node));
    else cluster.stopAgent(word(node));
    return [];
  },
  pass: (cluster, [time]) => {
    cluster.pass(Number.parseFloat(word(time)));
    return [];
  },
  prune: (cluster, [, leader]) => {
    const before = cluster.world.namespace(ns)?.ledger;
    return pruneLines(before, cluster.prune(leader ?? 'leader-1'), cluster.now);
  },
  count: (cluster, [kind, name]) => {
    const kinds = { pdb: 'PodDisruptionBudget', pub: 'PodUnavailableBudget' } as const;
    const ref = { kind: choose(word(kind), kinds), namespace: ns, name: word(name) };
    return [numbersLine(budgetNumbers(cluster.world, ref, cluster.now))];
  },
};

function perform(cluster: Cluster, line: string, number: number): readonly string[] {
  if (line === '' || line.startsWith('#')) return [];
  const [name, ...args] = line.split(' ').filter((one) => one !== '');
  try {
    return choose(word(name), commands)(cluster, args);
  } catch (error) {
    throw new Error(`command ${number}, "${line}": ${String(error)}`, { cause: error });
  }
}

function ask(cluster: Cluster, operation: Operation, pods: readonly string[]): readonly string[] {
  const { verdicts } = cluster.request(operation, pods);
  return verdicts.map((verdict, index) => verdictLine(word(pods[index]), verdict));
}

type GroupMember = (name: string, group: number, member: number, size: number) => PodBuilder;

const lwsPod: GroupMember = (name, group, member, size) =>
  aPod(`${name}-${group}-${member}`).lws(name, group, member, size);

const gangPod: GroupMember = (name, group, member) =>
  aPod(`${name}-${group}-${member}`).spec({ workload: { name, podGroup: 'worker', podGroupReplicaIndex: group } });

function addGroups(cluster: Cluster, args: readonly string[], make: GroupMember): readonly string[] {
  const [name, shape, , ...nodes] = args;
  const [groups, size] = split(word(shape), 'x').map(Number);
  if (groups === undefined || size === undefined) throw new Error('expected GROUPSxSIZE');
  if (make === lwsPod) cluster.addOwner(workload('LeaderWorkerSet', word(name), groups));
  else cluster.addGang(word(name), groups, size);
  for (let i = 0; i < groups * size; i += 1) {
    const group = Math.floor(i / size);
    const pod = make(word(name), group, i % size, size).labels({ app: word(name) });
    cluster.addPod(pod.on(nodes[i] ?? `node-${group}`));
  }
  return [];
}

function addPods(cluster: Cluster, kind: string, [name, count, , ...nodes]: readonly string[]): readonly string[] {
  const owner = workload(kind, word(name), Number(count));
  cluster.addOwner(owner);
  for (let i = 0; i < Number(count); i += 1) {
    const pod = aPod(`${name}-${i}`)
      .labels({ app: word(name) })
      .ownedBy(owner);
    cluster.addPod(pod.on(nodes[i] ?? `node-${i}`));
  }
  return [];
}

const podStates: Readonly<Record<string, (cluster: Cluster, pod: string) => void>> = {
  unready: (cluster, pod) => cluster.change(pod, (one) => one.notReady()),
  terminating: (cluster, pod) => cluster.change(pod, (one) => one.terminating()),
  gone: (cluster, pod) => cluster.remove(pod),
  back: (cluster, pod) => cluster.recreate(pod),
};

type Settings = ReadonlyMap<string, string>;

const budgetKinds: Readonly<Record<string, (cluster: Cluster, name: string, settings: Settings) => void>> = {
  pdb: (cluster, name, settings) => {
    const unhealthy = settings.get('unhealthy');
    const spec = {
      ...amounts(settings),
      ...(unhealthy === undefined ? {} : { unhealthyPodEvictionPolicy: unhealthy }),
    };
    const make = settings.get('scope') === 'PodGroup' ? aGroupPdb : aPdb;
    cluster.addPdb(make(name, selected(name, settings), spec));
  },
  pub: (cluster, name, settings) => {
    const group = settings.get('group');
    const minReady = settings.get('minReady');
    const operations = settings.get('operations');
    const policy = {
      groupLabelKey: group ?? '',
      ...(minReady === undefined ? {} : { minReadyReplicas: Number(minReady) }),
    };
    cluster.addPub(
      aPub(name, {
        selector: { matchLabels: selected(name, settings) },
        ...amounts(settings),
        ...(group === undefined ? {} : { podGroupPolicy: policy }),
        ...(operations === undefined ? {} : { protectOperations: operations.split(',') }),
      }),
    );
  },
};

function selected(name: string, settings: Settings): Record<string, string> {
  const [key, value] = split(settings.get('select') ?? `app:${name}`, ':');
  return { [key]: value };
}

function amounts(settings: Settings): { minAvailable?: number | string; maxUnavailable?: number | string } {
  const amount = (text: string): number | string => (text.endsWith('%') ? text : Number(text));
  const min = settings.get('minAvailable');
  const max = settings.get('maxUnavailable');
  return {
    ...(min === undefined ? {} : { minAvailable: amount(min) }),
    ...(max === undefined ? {} : { maxUnavailable: amount(max) }),
  };
}

function word(text: string | undefined): string {
  if (text === undefined) throw new Error('a word is missing');
  return text;
}

function split(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`"${text}" has no ${separator}`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function choose<T>(name: string, table: Readonly<Record<string, T>>): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new Error(`"${name}" is none of ${Object.keys(table).join(', ')}`);
  return found;
}

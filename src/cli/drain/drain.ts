import type { Command } from 'commander';
import { Course } from '../../core/drain/course.ts';
import { systemRandom } from '../../kube/time/random.ts';
import { KindReader } from '../live/kind-reader.ts';
import type { SeenNode } from '../live/nodes.ts';
import { type Session, withSession } from '../live/session.ts';
import { exitCode, Problem, problemText } from '../output/problem.ts';
import { displayFor } from './display.ts';
import { dryRunOf } from './dry-run.ts';
import { cordonedLines, type Ending, endingOf, noteLines } from './ending.ts';
import { type Selection, selectPods } from './filters.ts';
import { brokenIn, type Grouped, readGroups, Surroundings, ungrouped } from './groups.ts';
import { cordon, findNodes } from './nodes.ts';
import { drainCommand as commandWith, type DrainOptions } from './options.ts';
import { daemonSetOf, evict, findDaemonSets, listPods, podsOf } from './pods.ts';
import { runDrain } from './runner.ts';

export function drainCommand(): Command {
  return commandWith(async (names, options) => {
    if (names.length === 0 && options.selector === undefined) throw new Problem('no node is named', usage);
    if (names.length > 0 && options.selector !== undefined) throw new Problem('nodes are named and selected', usage);
    await withSession(options, (session) => new Drain(session, options).run(names));
  });
}

const usage = 'Name nodes, or choose them with -l SELECTOR: holdfast drain --help.';

/**
 * Evictions that an API server has to answer at once. More do not make it faster where budgets are written, and a session has eight
 * requests at once: lists must not wait for evictions that a webhook takes its time for.
 */
const requests = 6;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

class Drain {
  readonly #session: Session;
  readonly #options: DrainOptions;
  readonly #reader: KindReader;

  constructor(session: Session, options: DrainOptions) {
    this.#session = session;
    this.#options = options;
    this.#reader = new KindReader(session);
  }

  async run(names: readonly string[]): Promise<void> {
    const nodes = await findNodes(this.#reader, names, this.#options.selector);
    if (nodes.length === 0) return say(`No node has the labels ${this.#options.selector}.`);
    finish(this.#options.dryRun === true ? await this.#tell(nodes) : await this.#drain(nodes));
  }

  async #tell(nodes: readonly SeenNode[]): Promise<Ending> {
    const selection = await this.#select(nodes);
    const around = this.#around(selection);
    const live = selection.evicted.length === 0 ? undefined : await around.read();
    return dryRunOf(nodes, selection, live, this.#options.order);
  }

  /** From the first cordoned node on, whatever happens, it is said which ones are. */
  async #drain(nodes: readonly SeenNode[]): Promise<Ending> {
    const cordoned: string[] = [];
    try {
      for (const node of nodes) {
        if (!node.cordoned) await cordon(this.#session, node);
        cordoned.push(node.name);
        say(`node/${node.name} ${node.cordoned ? 'was cordoned already' : 'cordoned'}`);
      }
      return await this.#evictAll(cordoned, await this.#select(nodes));
    } catch (error) {
      if (cordoned.length === 0) throw error;
      const { aborted } = this.#session.signal;
      const why = aborted ? 'interrupted' : problemText(error).trimEnd();
      return { out: [], err: [why, ...cordonedLines(cordoned)], code: aborted ? exitCode.interrupted : exitCode.no };
    }
  }

  async #evictAll(nodes: readonly string[], selection: Selection): Promise<Ending> {
    const { clock, signal } = this.#session;
    for (const line of noteLines(selection.notes)) warn(line);
    const around = this.#around(selection);
    const grouped = await this.#group(around, selection);
    const startedAt = clock.now();
    const { parallel, order, timeout } = this.#options;
    const { skipAfterMs } = this.#filters();
    const course = new Course(grouped.pods, grouped.broken, { parallel, requests, order, skipAfterMs }, startedAt);
    for (const node of course.activeNodes()) course.listed(node, selection.evicted, startedAt, startedAt);
    const show = displayFor(
      process.stdout,
      process.env,
      nodes.filter((node) => !selection.refusals.has(node)),
      startedAt,
    );
    const end = await runDrain(course, {
      evict: (pod) => evict(this.#session, pod, this.#options.gracePeriod),
      list: (node) => listPods(this.#session, node),
      look: () => this.#look(around, grouped),
      changed: (now, last) => show(course, now, last),
      clock,
      random: systemRandom,
      signal,
      deadline: timeout === undefined ? undefined : startedAt + timeout,
    });
    const facts = { nodes, refusals: selection.refusals, startedAt, now: clock.now(), timeoutMs: timeout };
    return endingOf(course, end, facts);
  }

  async #select(nodes: readonly SeenNode[]): Promise<Selection> {
    const names = nodes.map(({ name }) => name);
    const pods = await podsOf(this.#session, names, this.#options.podSelector);
    const daemonSets = await findDaemonSets(this.#reader, pods);
    const hasDaemonSet = (pod: Parameters<typeof daemonSetOf>[0]) => daemonSets.has(daemonSetOf(pod));
    return selectPods(pods, this.#filters(), { now: this.#session.clock.now(), hasDaemonSet });
  }

  #filters() {
    const { force, ignoreDaemonsets, deleteEmptydirData, skipWaitForDeleteTimeout = 0 } = this.#options;
    return {
      force: force === true,
      ignoreDaemonsets: ignoreDaemonsets === true,
      deleteEmptydirData: deleteEmptydirData === true,
      skipAfterMs: skipWaitForDeleteTimeout > 0 ? skipWaitForDeleteTimeout * 1_000 : undefined,
    };
  }

  #around({ evicted }: Selection): Surroundings {
    return new Surroundings(this.#session, evicted, this.#options.operatorNamespace);
  }

  #group(around: Surroundings, { evicted }: Selection): Promise<Grouped> {
    if (this.#options.order === 'all' || evicted.length === 0) return Promise.resolve(ungrouped(evicted));
    return readGroups(around, evicted, warn);
  }

  /** What cannot be told now stays as it was told last. */
  async #look(around: Surroundings, { pods }: Grouped): Promise<ReadonlySet<string> | undefined> {
    if (pods.every(({ units }) => units.length === 0)) return undefined;
    try {
      return brokenIn((await around.read()).world, pods);
    } catch {
      return undefined;
    }
  }
}

function finish({ out, err, code }: Ending): void {
  for (const line of out) say(line);
  for (const line of err) warn(line);
  process.exitCode = code;
}

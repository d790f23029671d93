import { Course } from '../../core/drain/course.ts';
import type { CoursePod, EvictionAnswer } from '../../core/drain/course-pod.ts';
import type { Random } from '../../kube/time/random.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import type { SeenNode } from '../../observe/once/nodes.ts';
import { ensureSight } from '../../observe/once/sight.ts';
import { exitCode, problemText } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import { drainDryRunOf } from './dry-run.ts';
import { cordonedLines, drainNoteLines, type Ending, endingOf, undrainedNodes } from './ending.ts';
import { type DrainSelection, selectPods } from './filters.ts';
import { brokenIn, type Grouped, LiveWorldReader, readGroups, ungrouped } from './groups.ts';
import { DrainStages } from './nodes/node-conditions.ts';
import { cordon } from './nodes/nodes.ts';
import type { DrainOptions } from './options.ts';
import { daemonSetOf, evict, findDaemonSets, listPods, podsOf } from './pods.ts';
import { runDrain } from './runner.ts';

/**
 * Evictions that an API server has to answer at once. More do not make it faster where budgets are written, and a session has eight
 * requests at once: lists must not wait for evictions that a webhook takes its time for.
 */
const requests = 6;

/** Where a drain reports its progress. */
export interface DrainAudience {
  say(line: string): void;
  warn(line: string): void;
  /** How to show the course of a drain of these nodes, from now on. */
  display(nodes: readonly string[], startedAt: number): (course: Course, now: number, last: boolean) => void;
  /** What was answered to each request for an eviction. */
  answered?(pod: CoursePod, answer: EvictionAnswer): void;
  /** What is known before the first eviction: which pods are evicted, and which nodes are left alone. */
  selected?(selection: DrainSelection): void;
  /** The command that was given, with these flags added. */
  commandWith?(flags: readonly string[]): string;
}

/** Drains nodes through one session, whatever the cluster and its time are. */
export class Drain {
  readonly #session: Session;
  readonly #options: DrainOptions;
  readonly #audience: DrainAudience;
  readonly #random: Random;
  readonly #reader: KindReader;
  readonly #stages: DrainStages;

  constructor(session: Session, options: DrainOptions, audience: DrainAudience, random: Random) {
    this.#session = session;
    this.#options = options;
    this.#audience = audience;
    this.#random = random;
    this.#reader = new KindReader(session);
    this.#stages = new DrainStages(session, (line) => audience.warn(line));
  }

  /** What would happen; nothing is written. */
  async tell(nodes: readonly SeenNode[]): Promise<Ending> {
    const selection = await this.#select(nodes);
    const around = this.#around(selection);
    const live = selection.evicted.length === 0 ? undefined : await around.read();
    ensureSight(live?.gaps ?? []);
    return drainDryRunOf(nodes, selection, live, { order: this.#options.order, commandWith: this.#commandWith });
  }

  /** From the first cordoned node on, whatever happens, it is said which ones are. */
  async drain(nodes: readonly SeenNode[]): Promise<Ending> {
    const cordoned: string[] = [];
    try {
      for (const node of nodes) {
        if (!node.cordoned) await cordon(this.#session, node);
        cordoned.push(node.name);
        this.#stages.show(node.name, 'draining');
        this.#audience.say(`node/${node.name} ${node.cordoned ? 'was cordoned already' : 'cordoned'}`);
      }
      return await this.#evictAll(cordoned, await this.#select(nodes));
    } catch (error) {
      if (cordoned.length === 0) throw error;
      for (const node of cordoned) this.#stages.show(node, 'stopped');
      await this.#stages.written();
      const { aborted } = this.#session.signal;
      const why = aborted ? 'interrupted' : problemText(error).trimEnd();
      return { out: [], err: [why, ...cordonedLines(cordoned)], code: aborted ? exitCode.interrupted : exitCode.no };
    }
  }

  async #evictAll(nodes: readonly string[], selection: DrainSelection): Promise<Ending> {
    const { clock, signal } = this.#session;
    const audience = this.#audience;
    for (const line of drainNoteLines(selection.notes)) audience.warn(line);
    audience.selected?.(selection);
    const around = this.#around(selection);
    const grouped = await this.#group(around, selection);
    const startedAt = clock.now();
    const { parallel, order, timeout } = this.#options;
    const { skipAfterMs } = this.#filters();
    const course = new Course(grouped.pods, grouped.broken, { parallel, requests, order, skipAfterMs }, startedAt);
    for (const node of course.activeNodes()) course.listed(node, selection.evicted, startedAt, startedAt);
    const drained = nodes.filter((node) => !selection.refusals.has(node));
    const show = audience.display(drained, startedAt);
    const end = await runDrain(course, {
      evict: (pod) => this.#evict(pod),
      list: (node) => listPods(this.#session, node),
      look: () => this.#look(around, grouped),
      changed: (now, last) => show(course, now, last),
      clock,
      random: this.#random,
      signal,
      deadline: timeout === undefined ? undefined : startedAt + timeout,
    });
    const { refusals, missingFlags } = selection;
    const undrained = undrainedNodes(course, refusals);
    for (const node of nodes) this.#stages.show(node, undrained.has(node) ? 'stopped' : 'drained');
    await this.#stages.written();
    const times = { startedAt, now: clock.now(), timeoutMs: timeout };
    return endingOf(course, end, { nodes, refusals, missingFlags, commandWith: this.#commandWith, ...times });
  }

  readonly #commandWith = (flags: readonly string[]): string =>
    this.#audience.commandWith?.(flags) ?? `holdfast drain ${flags.join(' ')}`;

  async #evict(pod: CoursePod): Promise<EvictionAnswer | undefined> {
    const answer = await evict(this.#session, pod, this.#options.gracePeriod);
    if (answer !== undefined) this.#audience.answered?.(pod, answer);
    return answer;
  }

  async #select(nodes: readonly SeenNode[]): Promise<DrainSelection> {
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

  #around({ evicted }: DrainSelection): LiveWorldReader {
    return new LiveWorldReader(this.#session, evicted, this.#options.operatorNamespace);
  }

  #group(around: LiveWorldReader, { evicted }: DrainSelection): Promise<Grouped> {
    if (this.#options.order === 'all' || evicted.length === 0) return Promise.resolve(ungrouped(evicted));
    return readGroups(around, evicted, (line) => this.#audience.warn(line));
  }

  /** What cannot be told now stays as it was told last. */
  async #look(around: LiveWorldReader, { pods }: Grouped): Promise<ReadonlySet<string> | undefined> {
    if (pods.every(({ units }) => units.length === 0)) return undefined;
    try {
      return brokenIn((await around.read()).world, pods);
    } catch {
      return undefined;
    }
  }
}

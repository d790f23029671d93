import type { Course } from '../../core/drain/course.ts';
import { isAway } from '../../core/drain/course-pod.ts';
import type { Random } from '../../kube/time/random.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import type { Session } from '../../observe/session.ts';
import { describePod, inWords } from '../drain/describe.ts';
import { Drain, type DrainAudience } from '../drain/drain-nodes.ts';
import type { DrainSelection } from '../drain/filters.ts';
import { findNodes } from '../drain/nodes/nodes.ts';
import type { Observer } from './records/observer.ts';
import type { Unfinished } from './simulation-result.ts';

export interface DrainerTerms {
  readonly session: Session;
  readonly random: Random;
  readonly observer: Observer;
  readonly order: 'groups' | 'all';
}

/** As many as `holdfast drain` lets be on their way. */
const parallel = 110;

interface Begun {
  readonly begun: number;
  drained?: number;
}

/** Drains nodes with the code of `holdfast drain`, and remembers how far it came. */
export class Drainer {
  readonly #terms: DrainerTerms;
  readonly #courses = new Map<string, Course>();
  readonly #nodes = new Map<string, Begun>();
  readonly #notes: string[] = [];

  constructor(terms: DrainerTerms) {
    this.#terms = terms;
  }

  /** Resolves when nothing more will happen to their pods. */
  async drain(names: readonly string[]): Promise<void> {
    const { session, random, order } = this.#terms;
    const nodes = await findNodes(new KindReader(session), names, undefined);
    const now = session.clock.now();
    for (const { name } of nodes) this.#nodes.set(name, { begun: now });
    // A simulation shows what would happen to all pods, and reports which of them do not come back.
    const options = { force: true, ignoreDaemonsets: true, deleteEmptydirData: true, parallel, order } as const;
    await new Drain(session, options, this.#audience(names), random).drain(nodes);
  }

  begunAt(node: string): Begun | undefined {
    return this.#nodes.get(node);
  }

  isDrained(node: string): boolean {
    return this.#nodes.get(node)?.drained !== undefined;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Pods that are still there, and what was said of them last. */
  unfinished(): readonly Unfinished[] {
    return [...new Set(this.#courses.values())].flatMap((course) => {
      const holds = course.holds();
      return course.pods
        .filter(({ state }) => !isAway(state))
        .map((tracked) => {
          const { namespace, name, node } = tracked.pod;
          return { pod: { namespace, name, node }, why: inWords(describePod(tracked, holds)) };
        });
    });
  }

  #audience(names: readonly string[]): DrainAudience {
    const { observer } = this.#terms;
    return {
      say: () => undefined,
      warn: (line) => this.#note(line),
      display: () => (course) => this.#look(names, course),
      answered: (pod, answer) => observer.answered(pod, answer),
      selected: ({ refusals }: DrainSelection) => {
        for (const whys of refusals.values()) for (const why of whys.keys()) this.#note(why);
      },
    };
  }

  #note(line: string): void {
    const text = line.replace(/^warning: /, '');
    if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  #look(names: readonly string[], course: Course): void {
    const left = new Set(course.pods.filter(({ state }) => !isAway(state)).map(({ pod }) => pod.node));
    for (const name of names) {
      this.#courses.set(name, course);
      const node = this.#nodes.get(name);
      if (node === undefined || node.drained !== undefined || left.has(name)) continue;
      node.drained = this.#terms.session.clock.now();
      this.#terms.observer.drained(name);
    }
  }
}

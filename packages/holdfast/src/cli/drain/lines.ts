import type { Tracked } from '../../core/drain/census.ts';
import type { Course } from '../../core/drain/course.ts';
import { isAway } from '../../core/drain/course-pod.ts';
import { ageText } from '../output/age.ts';
import { type Description, describePod, inWords } from './describe.ts';
import { podName } from './listed-pod.ts';

/** A line for each change, for a log instead of a screen. */
export class ChangeLines {
  readonly #nodes: readonly string[];
  readonly #startedAt: number;
  /** By uid: what was said last. */
  readonly #said = new Map<string, string>();
  readonly #drained = new Set<string>();

  constructor(nodes: readonly string[], startedAt: number) {
    this.#nodes = nodes;
    this.#startedAt = startedAt;
  }

  take(course: Course): readonly string[] {
    const holds = course.holds();
    const lines: string[] = [];
    for (const tracked of course.pods) {
      const text = this.#text(describePod(tracked, holds));
      if (text === undefined || this.#said.get(tracked.pod.uid) === text) continue;
      this.#said.set(tracked.pod.uid, text);
      lines.push(`pod ${podName(tracked.pod)} on ${tracked.pod.node}: ${text}`);
    }
    return [...lines, ...this.#drainedNow(course.pods)];
  }

  /** Being next and being asked for are over within moments. */
  #text(description: Description): string | undefined {
    const { state, since } = description;
    if (state === 'next' || state === 'asked') return undefined;
    return state === 'deleted' ? `deleted, ${ageText(since - this.#startedAt)} after the start` : inWords(description);
  }

  #drainedNow(pods: readonly Tracked[]): readonly string[] {
    const left = new Set(pods.filter(({ state }) => !isAway(state)).map(({ pod }) => pod.node));
    const done = this.#nodes.filter((node) => !left.has(node) && !this.#drained.has(node));
    for (const node of done) this.#drained.add(node);
    return done.map((node) => `node/${node} drained`);
  }
}

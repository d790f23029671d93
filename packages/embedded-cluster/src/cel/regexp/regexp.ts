/**
 * Regular expressions that cannot blow up. Kubernetes uses RE2, whose time grows with text times pattern; JavaScript's own engine
 * tries possibilities one after the other and can be made to try exponentially many, by a pattern as short as `(a+)+$`. So patterns
 * of clients run on this simulation, which follows all possibilities at once, and never on RegExp.
 */

import { PatternError } from './regexp-classes.ts';
import { compileProgram, type Instruction } from './regexp-program.ts';
import type { Assertion } from './regexp-syntax.ts';

/** Steps of one search. About a tenth of a second. */
const maxWork = 20_000_000;

export type RegexpCompiled =
  | { readonly ok: true; readonly regexp: Regexp }
  | { readonly ok: false; readonly message: string };

const cache = new Map<string, RegexpCompiled>();
const maxCached = 1_000;

export function compileRegexp(source: string): RegexpCompiled {
  const known = cache.get(source);
  if (known) return known;
  const compiled = compileFresh(source);
  if (cache.size >= maxCached) cache.clear();
  cache.set(source, compiled);
  return compiled;
}

function compileFresh(source: string): RegexpCompiled {
  try {
    return { ok: true, regexp: new Regexp(compileProgram(source)) };
  } catch (error) {
    if (error instanceof PatternError) return { ok: false, message: error.message };
    throw error;
  }
}

export class TooMuchWork extends Error {
  constructor() {
    super('the text is too long for this regular expression');
  }
}

interface Threads {
  readonly counters: number[];
  readonly starts: number[];
}

export class Regexp {
  readonly #program: readonly Instruction[];
  readonly #visited: Int32Array;
  #round = 0;

  constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#visited = new Int32Array(program.length);
  }

  /** What searching this text may cost, in steps. */
  cost(text: string): number {
    return (text.length + 1) * this.#program.length;
  }

  test(text: string): boolean {
    return this.#search(codePoints(text), 0, true) !== undefined;
  }

  /** Where matches lie, in characters; at most `limit` of them. */
  findAll(text: string, limit: number): string[] {
    const points = codePoints(text);
    const found: string[] = [];
    let from = 0;
    let budget = maxWork;
    while (found.length < limit && from <= points.length) {
      budget -= this.#program.length;
      if (budget < 0) throw new TooMuchWork();
      const match = this.#search(points, from, false);
      if (!match) break;
      budget -= (match.end - from) * this.#program.length;
      found.push(String.fromCodePoint(...points.slice(match.start, match.end)));
      from = match.end > match.start ? match.end : match.end + 1;
    }
    return found;
  }

  #search(points: readonly number[], from: number, anyMatch: boolean): { start: number; end: number } | undefined {
    if ((points.length - from + 1) * this.#program.length > maxWork) throw new TooMuchWork();
    this.#visited.fill(0);
    this.#round = 0;
    let current: Threads = { counters: [], starts: [] };
    let best: { start: number; end: number } | undefined;
    for (let at = from; at <= points.length; at += 1) {
      this.#round += 1;
      const ready = this.#advance(current, points, at);
      if (!best) this.#follow(0, at, points, at, ready);
      const match = this.#firstMatch(ready);
      if (match >= 0) {
        best = { start: ready.starts[match] ?? at, end: at };
        if (anyMatch) return best;
        // Threads after the match are less preferred: a match that began earlier, or was tried first, wins.
        ready.counters.length = match;
        ready.starts.length = match;
      }
      if (best && ready.counters.length === 0) return best;
      current = ready;
    }
    return best;
  }

  /** Threads that can take the character before `at`, followed to where they next need one. */
  #advance(threads: Threads, points: readonly number[], at: number): Threads {
    const next: Threads = { counters: [], starts: [] };
    const taken = points[at - 1];
    for (const [index, counter] of threads.counters.entries()) {
      const instruction = this.#program[counter];
      if (instruction?.op !== 'set' || taken === undefined || !instruction.matches(taken)) continue;
      this.#follow(counter + 1, threads.starts[index] ?? 0, points, at, next);
    }
    return next;
  }

  /** With a stack of its own: a long chain of jumps must not become deep recursion. */
  #follow(entry: number, start: number, points: readonly number[], at: number, into: Threads): void {
    const pending = [entry];
    for (let counter = pending.pop(); counter !== undefined; counter = pending.pop()) {
      if (this.#visited[counter] === this.#round) continue;
      this.#visited[counter] = this.#round;
      const instruction = this.#program[counter];
      if (instruction?.op === 'jump') pending.push(instruction.to);
      else if (instruction?.op === 'split') pending.push(instruction.second, instruction.first);
      else if (instruction?.op === 'assert') {
        if (holds(instruction.at, points, at)) pending.push(counter + 1);
      } else {
        into.counters.push(counter);
        into.starts.push(start);
      }
    }
  }

  #firstMatch(threads: Threads): number {
    return threads.counters.findIndex((counter) => this.#program[counter]?.op === 'match');
  }
}

function codePoints(text: string): number[] {
  return Array.from(text, (char) => char.codePointAt(0) ?? 0);
}

function holds(assertion: Assertion, points: readonly number[], at: number): boolean {
  switch (assertion) {
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === points.length;
    case 'lineStart':
      return at === 0 || points[at - 1] === 10;
    case 'lineEnd':
      return at === points.length || points[at] === 10;
    case 'wordBoundary':
      return isWord(points[at - 1]) !== isWord(points[at]);
    case 'notWordBoundary':
      return isWord(points[at - 1]) === isWord(points[at]);
  }
}

function isWord(code: number | undefined): boolean {
  if (code === undefined) return false;
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
}

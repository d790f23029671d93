/** The syntax of RE2, which is what every pattern in Kubernetes is written in: no look-around, no back-references. */

import { otherCases, perlClasses, posixClasses, problem, type Test, unicodeClass, word } from './regexp-classes.ts';

export type Pattern =
  | { readonly kind: 'set'; readonly matches: (codePoint: number) => boolean }
  | { readonly kind: 'assert'; readonly at: Assertion }
  | { readonly kind: 'concat'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat';
      readonly of: Pattern;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    };

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'notWordBoundary';

const maxPatternLength = 4_096;
const maxGroupDepth = 100;
/** RE2's own limit. */
const maxRepeat = 1_000;

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly ungreedy: boolean;
}

export function parsePattern(source: string): Pattern {
  if (source.length > maxPatternLength) throw problem('expression too large', source.slice(0, 20));
  return new Parser(source).parse();
}

const controlEscapes: ReadonlyMap<string, number> = new Map([
  ['n', 10],
  ['t', 9],
  ['r', 13],
  ['f', 12],
  ['v', 11],
  ['a', 7],
]);

const assertionEscapes: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textStart'],
  ['z', 'textEnd'],
  ['b', 'wordBoundary'],
  ['B', 'notWordBoundary'],
]);

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false, ungreedy: false };

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Pattern {
    const pattern = this.#choice();
    if (this.#at < this.#source.length) throw problem('unexpected )', this.#source);
    return pattern;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #choice(): Pattern {
    const options = [this.#concat()];
    while (this.#take('|')) options.push(this.#concat());
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options };
  }

  #concat(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      if (this.#take('\\Q')) {
        const quoted = this.#quoted();
        const last = quoted.pop();
        parts.push(...quoted, ...(last ? [this.#repeated(last)] : []));
      } else {
        const atom = this.#atom();
        if (atom) parts.push(this.#repeated(atom));
      }
    }
    return { kind: 'concat', parts };
  }

  #quoted(): Pattern[] {
    const end = this.#source.indexOf('\\E', this.#at);
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    return Array.from(text, (char) => this.#literal(char.codePointAt(0) ?? 0));
  }

  #atom(): Pattern | undefined {
    const start = this.#at;
    if (this.#take('(')) return this.#group(start);
    if (this.#take('[')) return { kind: 'set', matches: this.#folded(this.#bracket(start)) };
    if (this.#take('.')) {
      const { dotAll } = this.#flags;
      return { kind: 'set', matches: (c) => dotAll || c !== 10 };
    }
    if (this.#take('^')) return { kind: 'assert', at: this.#flags.multiLine ? 'lineStart' : 'textStart' };
    if (this.#take('$')) return { kind: 'assert', at: this.#flags.multiLine ? 'lineEnd' : 'textEnd' };
    if (this.#peek() === '\\') return this.#escape();
    if ('*+?'.includes(this.#peek())) throw problem('missing argument to repetition operator', this.#peek());
    return this.#literal(this.#codePoint());
  }

  #codePoint(): number {
    const code = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #literal(code: number): Pattern {
    return { kind: 'set', matches: this.#folded((c) => c === code) };
  }

  #folded(test: Test): Test {
    return this.#flags.ignoreCase ? (c) => test(c) || otherCases(c).some(test) : test;
  }

  #group(start: number): Pattern | undefined {
    this.#depth += 1;
    if (this.#depth > maxGroupDepth)
      throw problem('expression nests too deeply', this.#source.slice(start, start + 20));
    const outer = this.#flags;
    if (this.#take('?') && !this.#take('P<') && !this.#namedGroup() && this.#flagGroup(start)) {
      this.#depth -= 1;
      return undefined;
    }
    this.#skipName(start);
    const inner = this.#choice();
    if (!this.#take(')')) throw problem('missing closing )', this.#source);
    this.#flags = outer;
    this.#depth -= 1;
    return inner;
  }

  /** `(?<name>` but neither `(?<=` nor `(?<!`. */
  #namedGroup(): boolean {
    return /^<\w/.test(this.#source.slice(this.#at, this.#at + 2)) && this.#take('<');
  }

  #skipName(start: number): void {
    const opened = this.#source.slice(start, this.#at);
    if (!opened.endsWith('<')) return;
    const name = /^\w+>/.exec(this.#source.slice(this.#at))?.[0];
    if (name === undefined) throw problem('invalid named capture', this.#source.slice(start));
    this.#at += name.length;
  }

  /** Answers whether the group ended with its flags: `(?i)` rather than `(?i:...)`. */
  #flagGroup(start: number): boolean {
    const [text, on = '', off = '', end] = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) {
      throw problem('invalid or unsupported Perl syntax', this.#source.slice(start, this.#at + 1));
    }
    this.#at += text.length;
    const value = (letter: string, now: boolean) => !off.includes(letter) && (now || on.includes(letter));
    this.#flags = {
      ignoreCase: value('i', this.#flags.ignoreCase),
      multiLine: value('m', this.#flags.multiLine),
      dotAll: value('s', this.#flags.dotAll),
      ungreedy: value('U', this.#flags.ungreedy),
    };
    return end === ')';
  }

  #repeated(atom: Pattern): Pattern {
    const start = this.#at;
    const bounds = this.#bounds();
    if (!bounds) return atom;
    const lazy = this.#take('?');
    const result: Pattern = { kind: 'repeat', of: atom, ...bounds, greedy: lazy === this.#flags.ungreedy };
    if (/^(?:[*+?]|\{\d+(?:,\d*)?\})/.test(this.#source.slice(this.#at))) {
      throw problem('invalid nested repetition operator', this.#source.slice(start, this.#at + 1));
    }
    return result;
  }

  #bounds(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { min: 0, max: 1 };
    const [text, low = '', comma, high = ''] = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) return undefined;
    this.#at += text.length;
    const min = Number(low);
    const max = comma === undefined ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high);
    const tooMany = min > maxRepeat || (Number.isFinite(max) && max > maxRepeat);
    if (tooMany || max < min) throw problem('invalid repeat count', text);
    return { min, max };
  }

  #escape(): Pattern {
    const start = this.#at;
    this.#at += 1;
    const assertion = assertionEscapes.get(this.#peek());
    if (assertion) {
      this.#at += 1;
      return { kind: 'assert', at: assertion };
    }
    return { kind: 'set', matches: this.#folded(this.#classEscape(start) ?? this.#charEscape(start)) };
  }

  /** `\d`, `\W`, `\pL`, `\P{Greek}`; the backslash is taken already. */
  #classEscape(start: number): Test | undefined {
    const letter = this.#peek();
    const perl = perlClasses.get(letter.toLowerCase());
    if (perl) {
      this.#at += 1;
      return letter === letter.toLowerCase() ? perl : (c) => !perl(c);
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    const [text = '', braced, short] = /^[pP](?:\{(\^?\w+)\}|(\w))/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += text.length;
    return unicodeClass(braced ?? short ?? '', letter === 'P', this.#source.slice(start, this.#at));
  }

  #charEscape(start: number): Test {
    const code = this.#escapedCode(start);
    return (c) => c === code;
  }

  #escapedCode(start: number): number {
    const rest = this.#source.slice(this.#at);
    const hex = /^x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))/.exec(rest);
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
    const numeric = hex ?? octal;
    if (numeric) {
      this.#at += numeric[0].length;
      return hex ? Number.parseInt(hex[1] ?? hex[2] ?? '0', 16) : Number.parseInt(numeric[0], 8);
    }
    const control = controlEscapes.get(rest.charAt(0));
    if (control !== undefined) {
      this.#at += 1;
      return control;
    }
    if (rest === '') throw problem('trailing backslash at end of expression', '');
    if (word(rest.charCodeAt(0))) throw problem('invalid escape sequence', this.#source.slice(start, this.#at + 1));
    return this.#codePoint();
  }

  #bracket(start: number): Test {
    const negated = this.#take('^');
    const tests: Test[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#at >= this.#source.length) throw problem('missing closing ]', this.#source.slice(start));
      tests.push(this.#bracketItem());
    }
    this.#at += 1;
    const any: Test = (c) => tests.some((test) => test(c));
    return negated ? (c) => !any(c) : any;
  }

  #bracketItem(): Test {
    const start = this.#at;
    const [posix, negated = '', name = ''] = /^\[:(\^?)(\w+):\]/.exec(this.#source.slice(this.#at)) ?? [];
    if (posix !== undefined) {
      const test = posixClasses.get(name);
      if (!test) throw problem('invalid character class range', posix);
      this.#at += posix.length;
      return negated === '' ? test : (c) => !test(c);
    }
    if (this.#take('\\')) {
      const test = this.#classEscape(start);
      if (test) return test;
      this.#at = start;
    }
    return this.#range(start);
  }

  #range(start: number): Test {
    const low = this.#rangeEnd();
    const next = this.#source.charAt(this.#at + 1);
    if (this.#peek() !== '-' || next === ']' || next === '') return (c) => c === low;
    this.#at += 1;
    const high = this.#rangeEnd();
    if (high < low) throw problem('invalid character class range', this.#source.slice(start, this.#at));
    return (c) => c >= low && c <= high;
  }

  #rangeEnd(): number {
    const start = this.#at;
    return this.#take('\\') ? this.#escapedCode(start) : this.#codePoint();
  }
}

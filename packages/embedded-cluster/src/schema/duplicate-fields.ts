/**
 * Reads JSON text for what JSON.parse does not tell: keys that stand twice in one object, and nesting that is too deep to work
 * with. One pass without building anything, so that it can be run on each request.
 */

/** The real server allows 10,000 levels; no object needs them, and code that walks JSON by recursion must not run out of stack. */
export const maxJsonDepth = 500;

export type JsonScan =
  | { readonly ok: true; readonly duplicates: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Paths of the fields that stand more than once: `spec.replicas`. Each once, in the order in which they are met. */
export function scanJson(text: string, depthLimit = maxJsonDepth): JsonScan {
  const scanner = new Scanner(text, depthLimit);
  try {
    scanner.document();
    return { ok: true, duplicates: [...scanner.duplicates] };
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, message: error.message, offset: error.offset };
    throw error;
  }
}

export function duplicateFieldTexts(paths: readonly string[]): string[] {
  return paths.map((path) => `duplicate field "${path}"`);
}

class Malformed extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** What is open at some place: the keys of an object so far, or the place in a list. */
interface Level {
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const blankPattern = /[ \t\r\n]*/y;

class Scanner {
  readonly duplicates = new Set<string>();
  readonly #text: string;
  readonly #limit: number;
  readonly #levels: Level[] = [];
  #at = 0;

  constructor(text: string, limit: number) {
    this.#text = text;
    this.#limit = limit;
  }

  /** A loop with a stack of its own: text decides how deep it nests. */
  document(): void {
    this.#value();
    while (this.#levels.length > 0) this.#next();
    this.#blank();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
  }

  /** Reads a value; of objects and lists only the beginning. */
  #value(): void {
    this.#blank();
    const char = this.#text.charAt(this.#at);
    if (char === '{' || char === '[') this.#open(char);
    else if (char === '"') this.#string();
    else this.#scalar();
  }

  #open(char: string): void {
    this.#at += 1;
    if (this.#levels.length >= this.#limit) throw new Malformed('exceeded max depth', this.#at - 1);
    this.#levels.push({ keys: char === '{' ? new Set() : undefined, key: '', index: -1 });
    this.#blank();
    if (this.#text.charAt(this.#at) === (char === '{' ? '}' : ']')) {
      this.#at += 1;
      this.#levels.pop();
    } else this.#member();
  }

  /** After a member: the next one, or the end of the object or list. */
  #next(): void {
    this.#blank();
    const level = this.#levels.at(-1);
    const char = this.#text.charAt(this.#at);
    if (char === ',') {
      this.#at += 1;
      this.#member();
    } else if (char === (level?.keys ? '}' : ']')) {
      this.#at += 1;
      this.#levels.pop();
    } else throw this.#unexpected(level?.keys ? 'after object key:value pair' : 'after array element');
  }

  #member(): void {
    const level = this.#levels.at(-1);
    if (level?.keys) this.#key(level, level.keys);
    else if (level) level.index += 1;
    this.#value();
  }

  #key(level: Level, keys: Set<string>): void {
    this.#blank();
    if (this.#text.charAt(this.#at) !== '"') throw this.#unexpected('looking for beginning of object key string');
    const start = this.#at;
    this.#string();
    level.key = JSON.parse(this.#text.slice(start, this.#at)) as string;
    if (keys.has(level.key)) this.duplicates.add(this.#path());
    keys.add(level.key);
    this.#blank();
    if (this.#text.charAt(this.#at) !== ':') throw this.#unexpected('after object key');
    this.#at += 1;
  }

  #path(): string {
    const parts = this.#levels.map((level) => (level.keys ? `.${level.key}` : `[${level.index}]`));
    return parts.join('').replace(/^\./, '');
  }

  #string(): void {
    this.#at += 1;
    for (;;) {
      this.#plain();
      const char = this.#text.charAt(this.#at);
      if (char === '"') break;
      if (char !== '\\' || !this.#skip(escapePattern)) throw this.#unexpected('in string literal');
    }
    this.#at += 1;
  }

  /** Goes on to a quote, a backslash, or a character that may not stand in a string. */
  #plain(): void {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22 || code === 0x5c || code < 0x20) return;
    }
  }

  #scalar(): void {
    for (const word of ['true', 'false', 'null']) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return;
    }
    if (!this.#skip(numberPattern)) throw this.#unexpected('looking for beginning of value');
  }

  #blank(): void {
    this.#skip(blankPattern);
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return false;
    this.#at += match[0].length;
    return match[0] !== '';
  }

  #unexpected(where: string): Malformed {
    if (this.#at >= this.#text.length) return new Malformed('unexpected end of JSON input', this.#at);
    const char = this.#text.charAt(this.#at);
    return new Malformed(`invalid character ${quoted(char)} ${where}`, this.#at);
  }
}

function quoted(char: string): string {
  if (char === "'") return "'\\''";
  const escaped = JSON.stringify(char).slice(1, -1);
  return `'${escaped === '\\"' ? '"' : escaped}'`;
}

/**
 * `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op: "add", ...}`: objects that an expression makes up, as mutating
 * policies write them. Our CEL has no such literals, but it has maps, and an object is a map here. So they are turned into
 * maps before they are parsed, in place: every character that stays keeps its line, and almost all keep their column.
 */

export type Rewritten =
  | { readonly ok: true; readonly text: string; place(offset: number): number }
  | { readonly ok: false; readonly offset: number; readonly message: string };

type Frame =
  | { readonly kind: 'other' }
  | { readonly kind: 'object'; readonly type: string; field: string; expectsField: boolean };

const identifiers = /[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*/y;
const spaces = /\s*/y;
const other: Frame = { kind: 'other' };

export function withoutObjectLiterals(expression: string): Rewritten {
  const scan = new Scan(expression);
  while (scan.at < expression.length) {
    const problem = scan.step();
    if (problem) return { ok: false, ...problem };
  }
  const { inserted } = scan;
  const place = (offset: number) => offset - inserted.filter((position) => position < offset).length;
  return { ok: true, text: scan.text, place };
}

interface Problem {
  readonly offset: number;
  readonly message: string;
}

class Scan {
  readonly #source: string;
  readonly #frames: Frame[] = [];
  /** Where in the new text there is a character that the old one does not have. */
  readonly inserted: number[] = [];
  at = 0;
  text = '';

  constructor(source: string) {
    this.#source = source;
  }

  step(): Problem | undefined {
    const character = this.#source[this.at] as string;
    if (character === '"' || character === "'") this.#copy(literalEnd(this.#source, this.at));
    else if (this.#source.startsWith('//', this.at)) this.#copy(lineEnd(this.#source, this.at));
    else if (/[A-Za-z_]/.test(character)) return this.#identifier();
    else this.#symbol(character);
    return undefined;
  }

  #copy(end: number): void {
    this.text += this.#source.slice(this.at, end);
    this.at = end;
  }

  #symbol(character: string): void {
    if ('{(['.includes(character)) this.#frames.push(other);
    else if ('})]'.includes(character)) this.#frames.pop();
    else if (character === ',') this.#nextField();
    this.#copy(this.at + 1);
  }

  #nextField(): void {
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'object') frame.expectsField = true;
  }

  #identifier(): Problem | undefined {
    const start = this.at;
    const end = matchEnd(identifiers, this.#source, start);
    const next = matchEnd(spaces, this.#source, end);
    const name = this.#source.slice(start, end).replaceAll(/\s/g, '');
    if (this.#source[next] === '{' && name !== 'in') return this.#open(name, next);
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'object' && frame.expectsField && this.#source[next] === ':') this.#field(frame, name, end);
    else this.#copy(end);
    return undefined;
  }

  #field(frame: Frame & { kind: 'object' }, name: string, end: number): void {
    frame.field = name;
    frame.expectsField = false;
    this.#insert('"');
    this.#copy(end);
    this.#insert('"');
  }

  #insert(character: string): void {
    this.inserted.push(this.text.length);
    this.text += character;
  }

  /** The name of the type goes; what it says is checked first. */
  #open(type: string, brace: number): Problem | undefined {
    const problem = this.#typeProblem(type);
    if (problem !== undefined) return { offset: this.at, message: problem };
    this.text += this.#source.slice(this.at, brace).replaceAll(/\S/g, ' ');
    this.at = brace;
    this.#frames.push({ kind: 'object', type, field: '', expectsField: true });
    this.#copy(brace + 1);
    return undefined;
  }

  #typeProblem(type: string): string | undefined {
    if (type !== 'JSONPatch' && type !== 'Object' && !type.startsWith('Object.')) {
      return `undeclared reference to '${type}' (in container '')`;
    }
    const around = this.#frames.findLast((frame) => frame.kind === 'object');
    if (around?.kind !== 'object' || around.type === 'JSONPatch') return undefined;
    const wanted = `${around.type}.${around.field}`;
    return type === wanted ? undefined : `unexpected type name "${type}", expected "${wanted}"`;
  }
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** After the closing quote. Raw ones, which begin with an r, know no escapes. */
function literalEnd(text: string, start: number): number {
  const quote = text[start] as string;
  const delimiter = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  const raw = /(^|\W)[bB]?[rR]$/.test(text.slice(Math.max(0, start - 3), start));
  for (let at = start + delimiter.length; at < text.length; at++) {
    if (text[at] === '\\' && !raw) at += 1;
    else if (text.startsWith(delimiter, at)) return at + delimiter.length;
  }
  return text.length;
}

import type { Environment } from '@marcbachmann/cel-js';
import { spend } from '../budget.ts';
import { replacementOf } from '../metering.ts';
import { compileRegexp, type Regexp } from '../regexp/regexp.ts';

const sync = { async: false };

/** Strings are counted in characters, not in UTF-16 units, and patterns run on an engine that cannot blow up. */
export function registerStrings(environment: Environment): void {
  registerPatterns(environment);
  registerPositions(environment);
  registerChanges(environment);
}

function registerPatterns(environment: Environment): void {
  const matches = (text: string, pattern: string) => regexp(text, pattern).test(text);
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  add(`string.${replacementOf('matches')}(string): bool`, matches);
  add('matches(string, string): bool', matches);
  add(
    'string.find(string): string',
    (text: string, pattern: string) => regexp(text, pattern).findAll(text, 1)[0] ?? '',
  );
  add('string.findAll(string): list<string>', (text: string, pattern: string) =>
    regexp(text, pattern).findAll(text, maxFound),
  );
  add('string.findAll(string, int): list<string>', (text: string, pattern: string, limit: bigint) =>
    regexp(text, pattern).findAll(text, limit < 0n || limit > maxFound ? maxFound : Number(limit)),
  );
}

const maxFound = 100_000;

function regexp(text: string, pattern: string): Regexp {
  const compiled = compileRegexp(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  spend(compiled.regexp.cost(text) >> 5);
  return compiled.regexp;
}

function registerPositions(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  const indexOf = replacementOf('indexOf');
  const lastIndexOf = replacementOf('lastIndexOf');
  add(`string.${indexOf}(string): int`, (text: string, part: string) => indexFrom(text, part, 0n));
  add(`string.${indexOf}(string, int): int`, indexFrom);
  add(`string.${lastIndexOf}(string): int`, (text: string, part: string) => lastIndexFrom(text, part, undefined));
  add(`string.${lastIndexOf}(string, int): int`, lastIndexFrom);
  add('string.charAt(int): string', (text: string, at: bigint) => {
    const characters = Array.from(text);
    return characters[inRange(at, characters.length)] ?? '';
  });
}

function inRange(at: bigint, length: number): number {
  if (at < 0n || at > BigInt(length)) throw new Error(`index out of range: ${at}`);
  return Number(at);
}

function indexFrom(text: string, part: string, from: bigint): bigint {
  const characters = Array.from(text);
  const start = inRange(from, characters.length);
  const head = characters.slice(0, start).join('').length;
  return characterIndex(text, text.indexOf(part, head));
}

function lastIndexFrom(text: string, part: string, from: bigint | undefined): bigint {
  if (from === undefined) return characterIndex(text, text.lastIndexOf(part));
  const characters = Array.from(text);
  const head = characters.slice(0, inRange(from, characters.length)).join('').length;
  return characterIndex(text, text.lastIndexOf(part, head));
}

function characterIndex(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(Array.from(text.slice(0, unit)).length);
}

function registerChanges(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  const substring = replacementOf('substring');
  const split = replacementOf('split');
  const join = replacementOf('join');
  add(`string.${substring}(int): string`, (text: string, start: bigint) => substringOf(text, start, undefined));
  add(`string.${substring}(int, int): string`, substringOf);
  add(`string.${split}(string): list<string>`, (text: string, separator: string) => splitAt(text, separator, -1n));
  add(`string.${split}(string, int): list<string>`, splitAt);
  add(`list.${join}(): string`, (list: readonly unknown[]) => joined(list, ''));
  add(`list.${join}(string): string`, joined);
  add('string.replace(string, string): string', (text: string, from: string, to: string) =>
    replaced(text, from, to, -1n),
  );
  add('string.replace(string, string, int): string', replaced);
  add('string.reverse(): string', (text: string) => Array.from(text).reverse().join(''));
}

function substringOf(text: string, start: bigint, end: bigint | undefined): string {
  const characters = Array.from(text);
  const from = inRange(start, characters.length);
  const to = end === undefined ? characters.length : inRange(end, characters.length);
  if (to < from) throw new Error(`invalid substring range. start: ${from}, end: ${to}`);
  return characters.slice(from, to).join('');
}

function splitAt(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  spend(parts.length);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const kept = Number(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

function joined(list: readonly unknown[], separator: string): string {
  spend(list.length + ((list.length * separator.length) >> 4));
  for (const item of list) if (typeof item !== 'string') throw new Error('no such overload');
  return list.join(separator);
}

function replaced(text: string, from: string, to: string, limit: bigint): string {
  const parts = splitAt(text, from, limit < 0n ? -1n : limit + 1n);
  spend((parts.length * to.length) >> 4);
  return parts.join(to);
}

import type { Environment } from '@marcbachmann/cel-js';
import { spend } from '../budget.ts';

/** `'%s has %d'.format([name, count])`. */
export function registerFormat(environment: Environment): void {
  environment.registerFunction('string.format(list): string', format, { async: false });
}

const clauses = /%(?:%|(?:\.(\d{1,3}))?([sdfexXobB]))/g;

function format(template: string, values: readonly unknown[]): string {
  let next = 0;
  const text = template.replace(clauses, (clause, precision: string | undefined, verb: string | undefined) => {
    if (verb === undefined) return '%';
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    const value = values[next];
    next += 1;
    const printed = print(verb, value, precision === undefined ? 6 : Number(precision), clause);
    spend(printed.length >> 4);
    return printed;
  });
  return text;
}

function print(verb: string, value: unknown, precision: number, clause: string): string {
  const number = typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
  switch (verb) {
    case 's':
      return plain(value);
    case 'f':
      if (number !== undefined) return Number(number).toFixed(Math.min(precision, 100));
      break;
    case 'e':
      if (number !== undefined) return exponential(Number(number), Math.min(precision, 100));
      break;
    case 'x':
    case 'X': {
      const text = typeof value === 'string' ? Buffer.from(value).toString('hex') : radix(value, 16);
      if (text !== undefined) return verb === 'X' ? text.toUpperCase() : text;
      break;
    }
    default: {
      const text = radix(value, { d: 10, o: 8, b: 2, B: 2 }[verb] ?? 10);
      if (text !== undefined) return text;
    }
  }
  throw new Error(`error during formatting: no formatting function for ${clause}`);
}

function radix(value: unknown, base: number): string | undefined {
  return typeof value === 'bigint' ? value.toString(base) : undefined;
}

/** Go writes at least two digits of exponent. */
function exponential(value: number, precision: number): string {
  return value.toExponential(precision).replace(/([+-])(\d)$/, '$10$2');
}

function plain(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$/, 'Z');
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`;
  const isMap = value instanceof Map;
  if (isMap || (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)) {
    const entries = isMap ? [...value] : Object.entries(value as object);
    return `{${entries
      .map(([key, item]) => `${plain(key)}: ${plain(item)}`)
      .sort()
      .join(', ')}}`;
  }
  return String(value);
}

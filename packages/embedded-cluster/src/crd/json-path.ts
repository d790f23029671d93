/** The JSON paths of printer columns: fields, places in lists, all of them, and those that meet a condition. */

import { getOwn, isJsonObject } from '../schema/json-values.ts';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: JsonPath; readonly operator: string; readonly value: unknown };

export type JsonPath = readonly Step[];

const maxPathLength = 1_024;

/** Undefined where the path is not understood: its column stays empty. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > maxPathLength) return undefined;
  const steps: Step[] = [];
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '');
  while (rest !== '' && rest !== '.') {
    const next = fieldStep(rest) ?? bracketStep(rest);
    if (!next) return undefined;
    steps.push(next.step);
    rest = rest.slice(next.length);
  }
  return steps;
}

interface Read {
  readonly step: Step;
  readonly length: number;
}

/** A backslash keeps the next character in the name: `.metadata.labels.app\.kubernetes\.io/name`. */
function fieldStep(text: string): Read | undefined {
  const [matched, name = ''] = /^\.((?:\\.|[^.[\]\\])+)/.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const plain = name.replace(/\\(.)/g, '$1');
  return { step: plain === '*' ? { kind: 'all' } : { kind: 'field', name: plain }, length: matched.length };
}

function bracketStep(text: string): Read | undefined {
  const [matched, quoted, index, all] = /^\.?\[(?:'((?:[^'\\]|\\.)*)'|(-?\d+)|(\*))\]/.exec(text) ?? [];
  if (matched !== undefined) {
    if (all) return { step: { kind: 'all' }, length: matched.length };
    if (index !== undefined) return { step: { kind: 'index', at: Number(index) }, length: matched.length };
    return { step: { kind: 'field', name: (quoted ?? '').replace(/\\(.)/g, '$1') }, length: matched.length };
  }
  const condition =
    /^\.?\[\?\(\s*@((?:[^=!<>()\s"']|\['[^']*'\])*)\s*(?:(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[^\s)]+)\s*)?\)\]/;
  const [filter, path = '', operator = 'exists', literal = 'null'] = condition.exec(text) ?? [];
  const inside = filter === undefined ? undefined : parseJsonPath(path);
  if (filter === undefined || !inside) return undefined;
  return { step: { kind: 'filter', path: inside, operator, value: literalOf(literal) }, length: filter.length };
}

function literalOf(text: string): unknown {
  if (/^["'].*["']$/s.test(text)) return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Everything that the path leads to, in order. Missing fields lead nowhere. */
export function findAll(value: unknown, path: JsonPath): unknown[] {
  let found: unknown[] = [value];
  for (const step of path) found = found.flatMap((one) => follow(one, step));
  return found;
}

function follow(value: unknown, step: Step): unknown[] {
  switch (step.kind) {
    case 'field': {
      const field = isJsonObject(value) ? getOwn(value, step.name) : undefined;
      return field === undefined ? [] : [field];
    }
    case 'index': {
      const item: unknown = Array.isArray(value) ? value.at(step.at) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => meets(item, step)) : [];
  }
}

function meets(item: unknown, { path, operator, value }: Extract<Step, { kind: 'filter' }>): boolean {
  const [found] = findAll(item, path);
  if (operator === 'exists') return found !== undefined;
  if (operator === '==') return found === value;
  if (operator === '!=') return found !== undefined && found !== value;
  if (typeof found !== typeof value || (typeof found !== 'number' && typeof found !== 'string')) return false;
  const [left, right] = [found, value as typeof found];
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

import { dimensions, markedMap, secondItems } from './holes.ts';
import { holesIn, scalarText } from './scalars.ts';
import { bestSplit, conditionOf, isOf, type Json, type Member } from './variants.ts';

type JsonMap = { readonly [key: string]: Json };

/** A part of a template: on the line of its key, or on lines of its own. */
type Block =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

/** The lines of an object that is there for all members, with everything by which they differ. */
export function objectLines(members: readonly Member<Json>[], inside: string | undefined): readonly string[] {
  const block = blockOf(members, 0, inside);
  return block.kind === 'lines' ? block.lines : [block.text];
}

/** Lines, and the condition under which they are there. Undefined: always. */
interface Guarded {
  readonly when: string | undefined;
  readonly lines: readonly string[];
}

/** What is under the same condition as what comes before it shares its `if`. */
function linesOf(parts: readonly Guarded[]): readonly string[] {
  return parts.flatMap(({ when, lines }, index) => {
    const begin = when === undefined || parts[index - 1]?.when === when ? [] : [`{{- if ${when} }}`];
    const end = when === undefined || parts[index + 1]?.when === when ? [] : ['{{- end }}'];
    return [...begin, ...lines, ...end];
  });
}

/** The lines of what only some members have: under a condition, and once for each item of a list. */
export function guardedLines(members: readonly Member[], write: Write): readonly string[] {
  return linesOf(guarded(members, write, undefined));
}

type Write = (present: readonly Member<Json>[], inside: string | undefined) => readonly string[];

/** @param inside the list that is gone through already */
function guarded(members: readonly Member[], write: Write, inside: string | undefined): readonly Guarded[] {
  const present = presentOf(members);
  const [some] = present;
  if (some === undefined) return [];
  const ranged = rangedBy(some.value);
  const list = ranged === inside ? undefined : ranged;
  const body = write(present, list ?? inside);
  const lines = list === undefined ? body : [`{{- range $item := ${list} }}`, ...body, '{{- end }}'];
  // A list without items is gone through without effect: that it has some is no condition.
  const relevant =
    list === undefined
      ? members
      : members.filter(({ choice }) => present.some((one) => sameList(one.choice, choice, list)));
  return [{ when: presenceOf(relevant), lines }];
}

/** When something is there. Undefined: always. */
function presenceOf(members: readonly Member[]): string | undefined {
  const condition = conditionOf(members.map(({ choice, value }) => ({ choice, value: value !== undefined })));
  return condition.kind === 'sometimes' ? condition.expression : undefined;
}

function sameList(one: readonly number[], other: readonly number[], list: string): boolean {
  const dimension = dimensions.findIndex(([first]) => first?.when === list);
  return one[dimension] === other[dimension];
}

function presentOf(members: readonly Member[]): readonly Member<Json>[] {
  return members.flatMap(({ choice, value }) => (value === undefined ? [] : [{ choice, value }]));
}

/** The list for each of whose items a part is there. One with the second item in it, too, has the whole list somewhere inside. */
function rangedBy(value: Json): string | undefined {
  const text = JSON.stringify(value);
  return secondItems.some((mark) => text.includes(mark)) ? undefined : holesIn(text).find(({ list }) => list)?.list;
}

function blockOf(members: readonly Member<Json>[], indent: number, inside: string | undefined): Block {
  const values = members.map(({ value }) => value);
  if (values.every(isMap)) return mapBlock(members as readonly Member<JsonMap>[], indent, inside);
  if (values.every((value) => Array.isArray(value))) {
    return listBlock(members as readonly Member<readonly Json[]>[], indent, inside);
  }
  if (values.some((value) => typeof value === 'object' && value !== null)) {
    throw new Error(`neither always a map nor always a list: ${JSON.stringify(values.slice(0, 3))}`);
  }
  return { kind: 'inline', text: choiceText(members) };
}

function isMap(value: Json): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function choiceText(members: readonly Member<Json>[]): string {
  const [first] = members;
  if (first === undefined) throw new Error('a value that is never there');
  if (members.every(({ value }) => value === first.value)) return scalarText(first.value as string);
  const split = bestSplit(members);
  const yes = choiceText(members.filter((member) => isOf(split, member)));
  const no = choiceText(members.filter((member) => !isOf(split, member)));
  return yes === no ? yes : `{{ if ${split.when} }}${yes}{{ else }}${no}{{ end }}`;
}

function mapBlock(members: readonly Member<JsonMap>[], indent: number, inside: string | undefined): Block {
  const keys = unionOf(members.map(({ value }) => Object.keys(value)));
  const marked = keys.find((key) => markedMap(key) !== undefined);
  if (marked !== undefined) return { kind: 'inline', text: mergedMap(members, keys, marked) };
  if (keys.length === 0) return { kind: 'inline', text: '{}' };
  if (members.some(({ value }) => Object.keys(value).length === 0)) throw new Error(`a map that may be empty: ${keys}`);
  const parts = keys.map((key): Guarded => {
    const fields = members.map(({ choice, value }) => ({ choice, value: value[key] }));
    return { when: presenceOf(fields), lines: keyLines(key, blockOf(presentOf(fields), indent + 2, inside), indent) };
  });
  return { kind: 'lines', lines: linesOf(parts) };
}

function keyLines(key: string, block: Block, indent: number): readonly string[] {
  const name = `${' '.repeat(indent)}${scalarText(key)}:`;
  return block.kind === 'inline' ? [`${name} ${block.text}`] : [name, ...block.lines];
}

/** A map that people fill: their keys win over ours. */
function mergedMap(members: readonly Member<JsonMap>[], keys: readonly string[], marked: string): string {
  const ours = keys.filter((key) => key !== marked);
  const fixed = new Set(members.map(({ value }) => JSON.stringify(value)));
  if (fixed.size > 1) throw new Error(`a map that people fill must not differ otherwise: ${[...fixed]}`);
  const path = markedMap(marked) ?? '';
  if (ours.length === 0) return `{{ toJson ${path} }}`;
  const [first] = members;
  const pairs = ours.map((key) => `${JSON.stringify(key)} ${JSON.stringify(first?.value[key])}`).join(' ');
  return `{{ toJson (merge (deepCopy ${path}) (dict ${pairs})) }}`;
}

function listBlock(members: readonly Member<readonly Json[]>[], indent: number, inside: string | undefined): Block {
  const filled = members.filter(({ value }) => value.length > 0);
  if (filled.length === 0) return { kind: 'inline', text: '[]' };
  const lines = itemLines(filled, indent, inside);
  const condition = conditionOf(members.map(({ choice, value }) => ({ choice, value: value.length > 0 })));
  if (condition.kind !== 'sometimes') return { kind: 'lines', lines };
  const none = [`{{- else }}`, `${' '.repeat(indent)}[]`, '{{- end }}'];
  return { kind: 'lines', lines: [`{{- if ${condition.expression} }}`, ...lines, ...none] };
}

function itemLines(
  members: readonly Member<readonly Json[]>[],
  indent: number,
  inside: string | undefined,
): readonly string[] {
  const lengths = new Set(members.map(({ value }) => value.length));
  const keyed = members.map(({ choice, value }) => ({ choice, value: keyedItems(value, lengths.size === 1) }));
  const keys = unionOf(keyed.map(({ value }) => [...value.keys()]));
  const parts = keys.flatMap((key) => {
    const items = keyed.map(({ choice, value }) => ({ choice, value: value.get(key) }));
    return guarded(items, (present, within) => dashed(blockOf(present, indent + 2, within), indent), inside);
  });
  return linesOf(parts);
}

/** What tells items apart: their place where all lists are of one length, else their name or all of them. */
function keyedItems(list: readonly Json[], byPlace: boolean): ReadonlyMap<string, Json> {
  const keyed = new Map<string, Json>();
  for (const [index, item] of list.entries()) {
    const text = JSON.stringify(item);
    if (isSecond(text)) continue;
    let key = byPlace ? String(index) : nameOf(item);
    while (keyed.has(key)) key += '+';
    keyed.set(key, item);
  }
  return keyed;
}

/** It is there for the second item of a list alone: the first, which has the same form, stands for it. */
function isSecond(text: string): boolean {
  return (
    secondItems.some((mark) => text.includes(mark)) &&
    holesIn(text).every(({ list }) => list === undefined && !joins(text))
  );
}

function joins(text: string): boolean {
  return holesIn(text).some(({ expression }) => expression.startsWith('join '));
}

/** Containers and volumes have names; an argument is known by its flag, whatever its value is. */
function nameOf(item: Json): string {
  if (isMap(item) && typeof item['name'] === 'string') return `name ${item['name']}`;
  const text = JSON.stringify(item);
  return /^"(--[\w-]+)=/.exec(text)?.[1] ?? text;
}

function dashed(block: Block, indent: number): readonly string[] {
  const pad = ' '.repeat(indent);
  if (block.kind === 'inline') return [`${pad}- ${block.text}`];
  const [first = '', ...rest] = block.lines;
  // The first field of a map may be under a condition: then it cannot be on the line of the dash.
  return first.startsWith('{{') ? [`${pad}-`, ...block.lines] : [`${pad}- ${first.slice(indent + 2)}`, ...rest];
}

/** One order that is that of every list, of those that are in it. */
function unionOf(lists: readonly (readonly string[])[]): readonly string[] {
  const distinct = [...new Map(lists.map((list) => [list.join('\n'), list])).values()];
  const rest = new Set(distinct.flat());
  const befores = new Map([...rest].map((key) => [key, new Set<string>()]));
  for (const list of distinct)
    for (const [index, key] of list.entries()) if (index > 0) befores.get(key)?.add(list[index - 1] ?? '');
  const union: string[] = [];
  while (rest.size > 0) {
    const next = [...rest].find((key) => [...(befores.get(key) ?? [])].every((before) => !rest.has(before)));
    if (next === undefined) throw new Error(`items that have no common order: ${[...rest]}`);
    rest.delete(next);
    union.push(next);
  }
  return union;
}

import { stringify } from 'yaml';
import { type Hole, holes } from './holes.ts';

type Scalar = null | boolean | number | string;

/** Longer ones first: the mark of a whole list contains that of its first item. */
const byLength = holes.toSorted((a, b) => b.mark.length - a.mark.length);
const anyMark = new RegExp(byLength.map(({ mark }) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
const byMark = new Map(byLength.map((hole) => [hole.mark, hole]));

/** The holes in a text, in order. */
export function holesIn(source: string): readonly Hole[] {
  return [...source.matchAll(anyMark)].flatMap(([mark]) => byMark.get(mark) ?? []);
}

/** A scalar of a manifest, as it stands in a template. */
export function scalarText(scalar: Scalar): string {
  const found = typeof scalar === 'string' || typeof scalar === 'number' ? holesIn(String(scalar)) : [];
  const [first] = found;
  if (first === undefined) return literally(plain(scalar));
  if (typeof scalar !== 'string') return `{{ ${first.expression} }}`;
  if (scalar === first.mark) return `{{ ${first.expression} | ${first.kind === 'plain' ? 'quote' : 'toJson'} }}`;
  if (found.some(({ kind }) => kind === 'text')) return formatted(scalar, found);
  return literally(plain(scalar)).replace(anyMark, (mark) => `{{ ${byMark.get(mark)?.expression ?? ''} }}`);
}

/** What people write may need quotes: the whole text is put together first, and quoted then. */
function formatted(source: string, found: readonly Hole[]): string {
  const format = source
    .replaceAll('%', '%%')
    .replace(anyMark, (mark) => (byMark.get(mark)?.kind === 'number' ? '%d' : '%s'));
  return `{{ printf ${JSON.stringify(format)} ${found.map(({ expression }) => `(${expression})`).join(' ')} | toJson }}`;
}

/** On one line. Version 1.1 quotes what Go would take for a boolean. */
function plain(scalar: Scalar): string {
  if (typeof scalar === 'string' && scalar.includes('\n')) return JSON.stringify(scalar);
  return stringify(scalar, { lineWidth: 0, version: '1.1' }).trimEnd();
}

function literally(source: string): string {
  return source.replaceAll('{{', '{{ "{{" }}');
}

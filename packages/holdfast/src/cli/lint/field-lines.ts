import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { startLines } from './start-lines.ts';

export type PathStep = string | number;

/** `spec.containers[0].env` and `metadata.annotations[holdfast.dev/takeover]`, step by step. */
export function stepsOf(field: string): readonly PathStep[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inner, name]) => {
    if (name !== undefined) return name;
    return inner !== undefined && /^\d+$/.test(inner) ? Number(inner) : (inner ?? '');
  });
}

/** In characters: a longer text is taken to be printed by a program, and reading it a second time takes seconds. */
const maxLength = 2 * 1024 * 1024;

/** In which lines of a file its objects and their fields are. */
export class FieldLines {
  readonly #text: string;
  #documents: readonly (Node | undefined)[] | undefined;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#text = text;
  }

  /** That of the field, else of what it would be in; where the text is too long, that of the document. */
  lineOf(document: number, steps: readonly PathStep[]): number | undefined {
    const root = this.#read()?.[document];
    return root === undefined ? startLines(this.#text)[document] : this.#lines.linePos(deepest(root, steps)).line;
  }

  #read(): readonly (Node | undefined)[] | undefined {
    if (this.#text.length > maxLength) return undefined;
    // It was read before, with limits; what is wrong with it was told then.
    const options = { lineCounter: this.#lines, uniqueKeys: false, logLevel: 'silent', version: '1.1' } as const;
    this.#documents ??= [...parseAllDocuments(this.#text, options)].map(({ contents }) => contents ?? undefined);
    return this.#documents;
  }
}

/** Where the last node begins that is there. */
function deepest(root: Node, steps: readonly PathStep[]): number {
  let node: Node = root;
  let offset = startOf(root);
  for (const step of steps) {
    const next = inside(node, step);
    if (next === undefined) return offset;
    offset = next.offset;
    if (next.node === undefined) return offset;
    node = next.node;
  }
  return offset;
}

function inside(node: Node, step: PathStep): { readonly node: Node | undefined; readonly offset: number } | undefined {
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step];
    return isNode(item) ? { node: item, offset: startOf(item) } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  if (!isPair(pair) || !isNode(pair.key)) return undefined;
  return { node: isNode(pair.value) ? pair.value : undefined, offset: startOf(pair.key) };
}

function startOf({ range }: Node): number {
  return range?.[0] ?? 0;
}

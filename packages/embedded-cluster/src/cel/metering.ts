/**
 * Makes a parsed expression pay for what it does. The parser hands out its syntax tree, whose nodes evaluate themselves; each is
 * wrapped. Functions whose own implementation is not good enough are called by another name that no author can write.
 */

import { remaining, spend } from './budget.ts';
import { weight } from './values.ts';

type Evaluate = (this: unknown, evaluator: unknown, node: unknown, context: unknown) => unknown;

interface Macro {
  evaluate: Evaluate;
}

/** The part of the parser's nodes that is used here. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly pos: number;
  readonly meta: { alternate?: Node; macro?: Macro; evaluate: Evaluate };
  /** What binary operators do with their two values; known once types are checked. */
  handle?: (left: unknown, right: unknown, node: unknown, evaluator: unknown) => unknown;
  setMeta(key: 'evaluate', value: Evaluate): unknown;
}

/** `matches` is JavaScript's, which can take exponential time; the string functions count UTF-16 units, not characters. */
const replaced: ReadonlySet<string> = new Set(['matches', 'substring', 'indexOf', 'lastIndexOf', 'split', 'join']);

export function replacementOf(method: string): string {
  return `_${method}_`;
}

/** Before the types are checked. */
export function redirectCalls(root: unknown): void {
  for (const node of nodesOf(root)) {
    if (node.op !== 'rcall' || !Array.isArray(node.args)) continue;
    if (typeof node.args[0] === 'string' && replaced.has(node.args[0])) node.args[0] = replacementOf(node.args[0]);
  }
}

/** Names that the expression mentions, of variables and of its own bound ones. */
export function identifiers(root: unknown): Set<string> {
  const names = new Set<string>();
  for (const node of nodesOf(root)) if (node.op === 'id' && typeof node.args === 'string') names.add(node.args);
  return names;
}

/** A field that the expression names, by the way to it from a variable; `at` is where its dot stands. */
export interface FieldSelection {
  readonly variable: string;
  readonly names: readonly string[];
  readonly at: number;
}

/** Only plain ways, `self.a.b`: what stands behind calls and brackets is not known without types. */
export function selections(root: unknown): FieldSelection[] {
  return [...nodesOf(root)].flatMap((node) => {
    const names: string[] = [];
    let current = node;
    while (current.op === '.' && Array.isArray(current.args)) {
      const [left, name] = current.args as [Node, string];
      names.unshift(name);
      current = left;
    }
    const variable = current.op === 'id' && typeof current.args === 'string' ? current.args : undefined;
    return variable === undefined || names.length === 0 ? [] : [{ variable, names, at: node.pos - 1 }];
  });
}

/** After the types are checked: checking may choose another way to evaluate a node. */
export function meter(root: unknown): void {
  for (const node of nodesOf(root)) {
    if (node.meta.alternate) continue;
    if (comparisons.has(node.op)) payForComparing(node);
    const { macro } = node.meta;
    if (macro) macro.evaluate = paid(node.op, macro.evaluate);
    else node.setMeta('evaluate', paid(node.op, node.meta.evaluate));
  }
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', 'in']);

/** A comparison walks through both sides as far as they are alike; the right one is also the list that `in` searches. */
function payForComparing(node: Node): void {
  const { handle } = node;
  if (!handle) return;
  node.handle = (left, right, ast, evaluator) => {
    spend(weight(right, remaining()));
    return handle(left, right, ast, evaluator);
  };
}

function paid(op: string, evaluate: Evaluate): Evaluate {
  if (op === '+' || op === 'call' || op === 'rcall') {
    return function (evaluator, node, context) {
      spend(1);
      const result = evaluate.call(this, evaluator, node, context);
      spend(sizeOf(result));
      return result;
    };
  }
  return function (evaluator, node, context) {
    spend(1);
    return evaluate.call(this, evaluator, node, context);
  };
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 4;
  return Array.isArray(value) ? value.length : 0;
}

/** Every node below this one, wherever macros have put it. */
function nodesOf(root: unknown): Set<Node> {
  const found = new Set<Node>();
  const seen = new Set<object>();
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (isNode(next)) {
      found.add(next);
      pending.push(next.args, next.meta.alternate, next.meta.macro);
    } else if (Array.isArray(next) || Object.getPrototypeOf(next) === Object.prototype) {
      pending.push(...Object.values(next));
    }
  }
  return found;
}

function isNode(value: object): value is Node {
  return 'op' in value && 'meta' in value && 'setMeta' in value;
}

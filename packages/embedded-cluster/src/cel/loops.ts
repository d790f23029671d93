/** A loop of an expression, as far as it can be told what it goes over. */
export interface Loop {
  /** The way from a variable to what it goes over: names of fields, and `[]` for an element. Undefined: not plain to see. */
  readonly over: Way | undefined;
  /** What it calls each element. */
  readonly binds: string;
  /** Loops inside it. */
  readonly inner: readonly Loop[];
}

export interface Way {
  readonly variable: string;
  readonly steps: readonly string[];
}

interface Node {
  readonly op: string;
  readonly args: unknown;
}

const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** The loops of a parsed expression that are not inside another. */
export function loopsOf(root: unknown): readonly Loop[] {
  if (Array.isArray(root)) return root.flatMap(loopsOf);
  if (!isNode(root)) return [];
  const [name, receiver, parts] = Array.isArray(root.args) ? (root.args as readonly unknown[]) : [];
  const isLoop = root.op === 'rcall' && typeof name === 'string' && macros.has(name) && Array.isArray(parts);
  if (!isLoop || parts.length < 2) return loopsOf(root.args);
  const [variable, ...body] = parts as readonly unknown[];
  const binds = isNode(variable) && typeof variable.args === 'string' ? variable.args : '';
  return [{ over: wayOf(receiver), binds, inner: loopsOf(body) }, ...loopsOf(receiver)];
}

function wayOf(node: unknown): Way | undefined {
  if (!isNode(node)) return undefined;
  if (node.op === 'id') return typeof node.args === 'string' ? { variable: node.args, steps: [] } : undefined;
  if ((node.op !== '.' && node.op !== '[]') || !Array.isArray(node.args)) return undefined;
  const [left, name] = node.args as readonly unknown[];
  const way = wayOf(left);
  const step = node.op === '[]' ? '[]' : name;
  return way && typeof step === 'string' ? { ...way, steps: [...way.steps, step] } : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Makes any value fit for a log line: plain JSON of a bounded size, without ever running into a cycle or a getter that throws. */

export type LogValue = string | number | boolean | null | readonly LogValue[] | { readonly [key: string]: LogValue };

/** All texts of one value together; the rest is cut: a line is for people, and for collectors that drop long ones. */
const maxText = 2_000;
const maxDepth = 4;
/** Leaves and branches of one value, all together. */
const maxNodes = 100;

interface Allowance {
  nodes: number;
  text: number;
}

export function logValue(value: unknown): LogValue {
  try {
    return bounded(value, maxDepth, { nodes: maxNodes, text: maxText });
  } catch {
    return '(unreadable)';
  }
}

function bounded(value: unknown, levels: number, allowance: Allowance): LogValue {
  allowance.nodes -= 1;
  if (typeof value === 'string') return cut(value, allowance);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return cut(typeof value === 'function' ? '(function)' : String(value), allowance);
  if (value instanceof Error) return cut(errorText(value), allowance);
  if (value instanceof Date) return cut(String(value), allowance);
  if (levels === 0 || allowance.nodes <= 0) return '...';
  return Array.isArray(value) ? items(value, levels, allowance) : members(value, levels, allowance);
}

function items(list: readonly unknown[], levels: number, allowance: Allowance): LogValue {
  const out: LogValue[] = [];
  for (const item of list) {
    if (allowance.nodes <= 0) {
      out.push('...');
      break;
    }
    out.push(bounded(item, levels - 1, allowance));
  }
  return out;
}

function members(source: object, levels: number, allowance: Allowance): LogValue {
  const out: [string, LogValue][] = [];
  for (const key in source) {
    if (!Object.hasOwn(source, key)) continue;
    if (allowance.nodes <= 0) {
      out.push(['...', true]);
      break;
    }
    const value: unknown = Reflect.get(source, key);
    if (value !== undefined) out.push([cut(key, allowance), bounded(value, levels - 1, allowance)]);
  }
  return Object.fromEntries(out);
}

/** The stack begins with the message; an error that came over a wire may have none. What caused it is often what matters. */
function errorText(error: Error): string {
  const text = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${text}\ncaused by ${error.cause.name}: ${error.cause.message}` : text;
}

function cut(text: string, allowance: Allowance): string {
  const room = allowance.text;
  allowance.text = Math.max(0, room - text.length);
  return text.length > room ? `${text.slice(0, room)}...` : text;
}

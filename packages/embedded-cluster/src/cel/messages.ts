/** What goes wrong in an expression, in the words of the real server. */

interface CelError extends Error {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

export function evaluationMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, summary = error.message } = error as CelError;
  switch (code) {
    case 'no_such_key':
      return summary.replace(/^No such key: /, 'no such key: ');
    case 'index_out_of_bounds':
      return summary.replace(/^.*index (-?\d+).*$/s, 'index out of bounds: $1');
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'numeric_overflow':
      return 'integer overflow';
    case 'no_such_overload':
    case 'no_matching_overload':
      return 'no such overload';
    case 'optional_value_missing':
      return 'optional.none() dereference';
    default:
      return summary;
  }
}

/** With the place, as the compiler of the real server draws it. */
export function compilationMessage(error: unknown, expression: string, place = (offset: number) => offset): string {
  if (!(error instanceof Error)) return String(error);
  return problemAt(place((error as CelError).range?.start ?? 0), compilationDetail(error), expression);
}

export function problemAt(offset: number, detail: string, expression: string): string {
  const before = expression.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = expression.split('\n')[before.length - 1] ?? '';
  const place = `ERROR: <input>:${before.length}:${column + 1}`;
  return `compilation failed: ${place}: ${detail}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

function compilationDetail(error: CelError): string {
  const summary = error.summary ?? error.message;
  switch (error.code) {
    case 'unknown_variable':
      return `undeclared reference to '${summary.replace(/^Unknown variable: /, '')}' (in container '')`;
    case 'no_such_key':
      return `undefined field '${summary.replace(/^No such key: /, '')}'`;
    case 'no_such_overload':
      return overload(summary);
    case 'no_matching_overload':
      return summary.replace(/'(?:[^'.(]+\.)?_?(\w+?)_?\((.*)\)'$/, "'$1' applied to '($2)'");
    default:
      return error.name === 'ParseError' ? `Syntax error: ${lowerFirst(summary)}` : summary;
  }
}

function overload(summary: string): string {
  const [, left, operator, right] = /^no such overload: (\S+) (\S+) (\S+)$/.exec(summary) ?? [];
  if (operator === undefined) return summary;
  return `found no matching overload for '_${operator}_' applied to '(${left}, ${right})'`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

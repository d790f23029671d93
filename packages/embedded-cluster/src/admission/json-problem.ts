/** What is wrong with a webhook's JSON, in the words of the decoder that the real server uses. */

export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Why the text does not parse. */
export function parseProblem(text: string, error: unknown): string {
  const first = text.trimStart()[0];
  const message = error instanceof Error ? error.message : String(error);
  if (first === undefined || endsEarly(text, message)) return 'unexpected end of JSON input';
  if (!/[-{["0-9tfn]/.test(first)) return `invalid character '${first}' looking for beginning of value`;
  return message;
}

function endsEarly(text: string, message: string): boolean {
  const position = /at position (\d+)/.exec(message)?.[1];
  return message === 'Unexpected end of JSON input' || (position !== undefined && Number(position) >= text.length);
}

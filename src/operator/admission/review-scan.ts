/** Walks over JSON without reading it: far cheaper than a parse, and enough to know where a value ends and how deep it is. */

/** What `skipValue` answers when it does not find an end: the text goes wrong, or is nested more deeply than allowed. */
const unsure = -1;
export const tooDeep = -2;

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Where the value that begins at `start` ends, if the text is JSON. Text that is not JSON may get an end, too: whoever wants to
 * use the value parses it, and finds out.
 */
export function skipValue(bytes: Uint8Array, start: number, maxDepth: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
      if (at < 0 || depth === 0) return at;
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxDepth) return tooDeep;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
      if (depth < 0) break;
    } else if (depth === 0 && (byte === comma || isSpace(byte))) break;
    at += 1;
  }
  return depth <= 0 && at > start ? at : unsure;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return unsure;
}

export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isSpace(bytes[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

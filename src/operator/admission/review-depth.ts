/** Deeper nesting than any Kubernetes object has, and less than what would exhaust the stack of a reader. */
export const maxDepth = 256;
/** The review and the request are around every object. */
const levelsAround = 2;

const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Whether a JSON text is nested more deeply than any review is. It looks at brackets outside of strings and at nothing else: text
 * that is not JSON may pass, and the parser finds out.
 */
export function isNestedTooDeeply(bytes: Uint8Array): boolean {
  let depth = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxDepth + levelsAround) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    at += 1;
  }
  return false;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return bytes.length;
}

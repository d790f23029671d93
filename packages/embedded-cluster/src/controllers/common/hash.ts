/** Short stable names for pod templates. */

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** The alphabet that Kubernetes writes hashes in: no vowels, so that no words come out. */
const safeLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** 32-bit FNV-1a over the UTF-8 bytes. */
export function fnv1a(text: string): number {
  let hash = fnvOffset;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, fnvPrime) >>> 0;
  return hash;
}

function safeEncode(text: string): string {
  return [...text].map((letter) => safeLetters[letter.charCodeAt(0) % safeLetters.length]).join('');
}

/** JSON whose keys are in order, without fields that are not set: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

/** Ten safe letters at most. The number of collisions so far leads to another hash for the same value. */
export function hashOf(value: unknown, collisions: number | undefined): string {
  return safeEncode(String(fnv1a(`${canonicalJson(value)}${collisions ?? ''}`)));
}

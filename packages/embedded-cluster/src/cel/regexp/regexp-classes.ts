/** The classes of characters that patterns name. */

export type Test = (codePoint: number) => boolean;

export class PatternError extends Error {}

export function problem(what: string, where: string): PatternError {
  return new PatternError(`error parsing regexp: ${what}: \`${where}\``);
}

const digit: Test = (c) => c >= 48 && c <= 57;
export const word: Test = (c) => digit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
const space: Test = (c) => c === 32 || (c >= 9 && c <= 10) || (c >= 12 && c <= 13);
const upper: Test = (c) => c >= 65 && c <= 90;
const lower: Test = (c) => c >= 97 && c <= 122;
const alpha: Test = (c) => upper(c) || lower(c);

export const perlClasses: ReadonlyMap<string, Test> = new Map([
  ['d', digit],
  ['w', word],
  ['s', space],
]);

export const posixClasses: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['alnum', (c) => alpha(c) || digit(c)],
  ['alpha', alpha],
  ['ascii', (c) => c < 128],
  ['blank', (c) => c === 9 || c === 32],
  ['cntrl', (c) => c < 32 || c === 127],
  ['digit', digit],
  ['graph', (c) => c > 32 && c < 127],
  ['lower', lower],
  ['print', (c) => c >= 32 && c < 127],
  ['punct', (c) => c > 32 && c < 127 && !alpha(c) && !digit(c)],
  ['space', (c) => c === 32 || (c >= 9 && c <= 13)],
  ['upper', upper],
  ['word', word],
  ['xdigit', (c) => digit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102)],
]);

export function otherCases(code: number): number[] {
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase()]
    .filter((other) => other !== char && Array.from(other).length === 1)
    .map((other) => other.codePointAt(0) ?? code);
}

export function unicodeClass(name: string, negated: boolean, where: string): Test {
  const inverted = name.startsWith('^') !== negated;
  const bare = name.replace('^', '');
  for (const property of [bare, `Script=${bare}`]) {
    try {
      const one = new RegExp(`^\\p{${property}}$`, 'u');
      return (c) => one.test(String.fromCodePoint(c)) !== inverted;
    } catch {
      // Not a category; perhaps a script.
    }
  }
  throw problem('invalid character class range', where);
}

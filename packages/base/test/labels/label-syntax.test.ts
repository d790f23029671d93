import { describe, expect } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { labelKeyProblem, labelValueProblem } from '../../src/labels/label-syntax.ts';

const badName = 'name part must consist of letters, digits, -, _ or ., and start and end with a letter or digit';
const badPrefix = 'prefix part must be a lowercase DNS subdomain of at most 253 characters';
const badValue = 'must consist of letters, digits, -, _ or ., and start and end with a letter or digit';

describe('labelKeyProblem', () => {
  table(
    [
      { name: 'accepts a plain name', key: 'app' },
      { name: 'accepts a single letter', key: 'a' },
      { name: 'accepts capitals, dots, dashes and underscores in the name', key: 'A.b-c_D9' },
      { name: 'accepts a prefix', key: 'leaderworkerset.sigs.k8s.io/group-index' },
      { name: 'accepts a name of 63 characters', key: 'a'.repeat(63) },
      { name: 'accepts a prefix of 253 characters', key: `${'a.'.repeat(126)}a/x` },
      { name: 'refuses the empty key', key: '', want: 'name part must be non-empty' },
      { name: 'refuses a number', key: 1, want: 'name part must be non-empty' },
      { name: 'refuses null', key: null, want: 'name part must be non-empty' },
      {
        name: 'refuses a name of 64 characters',
        key: 'a'.repeat(64),
        want: 'name part must be no more than 63 characters',
      },
      { name: 'refuses a dash at the start', key: '-a', want: badName },
      { name: 'refuses a dot at the end', key: 'a.', want: badName },
      { name: 'refuses a blank', key: 'a b', want: badName },
      { name: 'refuses a line break at the end', key: 'a\n', want: badName },
      { name: 'refuses an empty name after a prefix', key: 'x.io/', want: badName },
      { name: 'refuses a second slash', key: 'a/b/c', want: badName },
      { name: 'refuses an empty prefix', key: '/a', want: badPrefix },
      { name: 'refuses capitals in the prefix', key: 'X.io/a', want: badPrefix },
      { name: 'refuses an underscore in the prefix', key: 'x_y/a', want: badPrefix },
      { name: 'refuses two dots in a row in the prefix', key: 'x..y/a', want: badPrefix },
      { name: 'refuses a prefix of 254 characters', key: `${'a.'.repeat(126)}ab/x`, want: badPrefix },
    ],
    ({ key, want }) => {
      expect(labelKeyProblem(key)).toBe(want);
    },
  );
});

describe('labelValueProblem', () => {
  table(
    [
      { name: 'accepts the empty value', value: '' },
      { name: 'accepts a word', value: 'web' },
      { name: 'accepts dots, dashes and underscores inside', value: 'v1.2-rc_3' },
      { name: 'accepts 63 characters', value: 'x'.repeat(63) },
      { name: 'refuses 64 characters', value: 'x'.repeat(64), want: 'must be no more than 63 characters' },
      { name: 'refuses a slash', value: 'a/b', want: badValue },
      { name: 'refuses a dash at the end', value: 'a-', want: badValue },
      { name: 'refuses an underscore at the start', value: '_a', want: badValue },
      { name: 'refuses letters beyond ASCII', value: 'grün', want: badValue },
      { name: 'refuses a number', value: 1, want: 'must be a string' },
      { name: 'refuses a boolean', value: true, want: 'must be a string' },
      { name: 'refuses null', value: null, want: 'must be a string' },
    ],
    ({ value, want }) => {
      expect(labelValueProblem(value)).toBe(want);
    },
  );
});

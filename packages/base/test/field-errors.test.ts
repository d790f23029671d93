import { describe, expect, it } from 'vitest';
import { table } from '../../../test/support/table.ts';
import {
  failed,
  forbidden,
  formatFieldError,
  formatFieldErrors,
  invalid,
  notSupported,
  parsed,
  required,
} from '../src/field-errors.ts';

describe('formatFieldError', () => {
  table(
    [
      {
        name: 'prints an invalid value as JSON',
        error: invalid('spec.selector', { matchLabels: {} }, 'empty selector'),
        want: 'spec.selector: Invalid value: {"matchLabels":{}}: empty selector',
      },
      { name: 'prints a string in quotes', error: invalid('f', 'x', 'no'), want: 'f: Invalid value: "x": no' },
      { name: 'prints null', error: invalid('f', null, 'no'), want: 'f: Invalid value: null: no' },
      {
        name: 'prints what JSON cannot say',
        error: invalid('f', undefined, 'no'),
        want: 'f: Invalid value: undefined: no',
      },
      {
        name: 'prints no value where there is none',
        error: required('f', 'missing'),
        want: 'f: Required value: missing',
      },
      { name: 'prints what is forbidden', error: forbidden('f', 'not here'), want: 'f: Forbidden: not here' },
      {
        name: 'lists the supported values',
        error: notSupported('f', 'X', ['A', 'B']),
        want: 'f: Unsupported value: "X": supported values: "A", "B"',
      },
      {
        name: 'prints a duplicate',
        error: { type: 'FieldValueDuplicate', field: 'f', value: 1, detail: 'twice' } as const,
        want: 'f: Duplicate value: 1: twice',
      },
      {
        name: 'prints 200 characters of a value in full',
        error: invalid('f', 'a'.repeat(198), 'no'),
        want: `f: Invalid value: "${'a'.repeat(198)}": no`,
      },
      {
        name: 'cuts a longer value short',
        error: invalid('f', 'a'.repeat(199), 'no'),
        want: `f: Invalid value: "${'a'.repeat(199)}...: no`,
      },
    ],
    ({ error, want }) => {
      expect(formatFieldError(error)).toBe(want);
    },
  );

  it('prints the type of what is nested too deeply to print', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect(formatFieldError(invalid('f', deep, 'no'))).toBe('f: Invalid value: (object): no');
  });

  it('joins several errors into one line', () => {
    expect(formatFieldErrors([required('a', 'x'), forbidden('b', 'y')])).toBe('a: Required value: x; b: Forbidden: y');
    expect(formatFieldErrors([])).toBe('');
  });
});

describe('Parsed', () => {
  it('is a value or a list of errors', () => {
    expect(parsed(1)).toEqual({ ok: true, value: 1 });
    expect(failed(required('a', 'x'), required('b', 'y'))).toEqual({
      ok: false,
      errors: [
        { type: 'FieldValueRequired', field: 'a', detail: 'x' },
        { type: 'FieldValueRequired', field: 'b', detail: 'y' },
      ],
    });
  });
});

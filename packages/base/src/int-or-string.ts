import { failed, invalid, type Parsed, parsed } from './field-errors.ts';

export type IntOrString = number | string;

/** A number of units, or a share of the expected ones. */
export type Amount =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number };

const maxInt32 = 2_147_483_647;
const percentPattern = /^[0-9]+%$/;

/** Reads what Kubernetes calls a non-negative int-or-percent: `3` or `"30%"`, at most 100 %. */
export function parseAmount(value: unknown, field: string): Parsed<Amount> {
  if (typeof value === 'number') return parseCount(value, field);
  if (typeof value === 'string') return parsePercent(value, field);
  return failed(invalid(field, value, 'must be an integer or a percentage'));
}

function parseCount(value: number, field: string): Parsed<Amount> {
  if (!Number.isInteger(value) || value > maxInt32) {
    return failed(invalid(field, value, 'must be a 32-bit integer or a percentage'));
  }
  if (value < 0) return failed(invalid(field, value, 'must be greater than or equal to 0'));
  return parsed({ kind: 'count', count: value });
}

function parsePercent(value: string, field: string): Parsed<Amount> {
  if (!percentPattern.test(value)) {
    return failed(
      invalid(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%' or '93%')",
      ),
    );
  }
  const percent = Number(value.slice(0, -1));
  if (percent > 100) return failed(invalid(field, value, 'must not be greater than 100%'));
  return parsed({ kind: 'percent', percent });
}

/** Percentages round up, as Kubernetes and Kruise do: 30 % of 7 is 3. In whole numbers, so that no float decides. */
export function resolveAmount(amount: Amount, expected: number): number {
  if (amount.kind === 'count') return amount.count;
  return Math.floor((amount.percent * expected + 99) / 100);
}

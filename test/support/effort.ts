/** `npm run test:long` says so. */
const isLong = process.env['HOLDFAST_LONG'] === 'true';

/**
 * How many random runs a test makes: few in `npm test`, so that people wait for it, many in `npm run test:long`. The long
 * configuration takes every test file that imports this one (vitest.long.config.ts), so nothing has to be listed twice.
 */
export function runs({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLong ? long : short;
}

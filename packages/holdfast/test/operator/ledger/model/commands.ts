import fc from 'fast-check';
import type { Fault } from '../support/fake-ledgers.ts';

export const replicas = 3;

/** What may happen to a namespace. Numbers are indexes into whatever there is at that time, taken modulo its size. */
export type Command =
  | {
      readonly do: 'ask';
      readonly replica: number;
      readonly pod: number;
      readonly operation: 'EVICT' | 'DELETE';
      /** For a pod of the group of which one was stopped last, because what its verdict rested on had moved on. */
      readonly again: boolean;
    }
  /** The API server acts on what was admitted, or the client has gone away. */
  | { readonly do: 'act'; readonly which: number; readonly goneAway: boolean }
  | { readonly do: 'churn'; readonly which: number; readonly inSteps: boolean }
  | { readonly do: 'watch'; readonly replica: number; readonly events: number }
  | { readonly do: 'bookmark'; readonly replica: number }
  | { readonly do: 'watchLedger'; readonly replica: number; readonly back: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'fault'; readonly replica: number; readonly fault: Fault }
  | { readonly do: 'crash'; readonly replica: number }
  | { readonly do: 'lead'; readonly replica: number };

const replica = fc.nat({ max: replicas - 1 });
const some = fc.nat({ max: 30 });

/** Around every limit that the service and the ledger know; mostly moments, so that calls interleave. */
const moments = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(1, 2, 3, 5, 8, 13, 40) },
  { weight: 2, arbitrary: fc.constantFrom(150, 2_500, 5_000, 11_000) },
  { weight: 1, arbitrary: fc.constantFrom(20_000, 34_000, 36_000, 90_000, 125_000) },
);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      replica,
      pod: some,
      operation: fc.constantFrom('EVICT' as const, 'EVICT' as const, 'DELETE' as const),
      again: fc.boolean(),
    }),
  },
  { weight: 30, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: moments }) },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('act' as const),
      which: some,
      goneAway: fc.integer({ min: 0, max: 6 }).map((one) => one === 0),
    }),
  },
  { weight: 24, arbitrary: fc.record({ do: fc.constant('churn' as const), which: some, inSteps: fc.boolean() }) },
  {
    weight: 16,
    arbitrary: fc.record({ do: fc.constant('watch' as const), replica, events: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('bookmark' as const), replica }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('watchLedger' as const), replica, back: fc.nat({ max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      replica,
      fault: fc.constantFrom<Fault>('lost', 'dropped', 'hangs', 'throws', 'raced'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), replica }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lead' as const), replica }) },
);

export const commands = fc.array(command, { minLength: 60, maxLength: 140, size: 'max' });

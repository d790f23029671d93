import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs as effort } from '../../../../../test/support/effort.ts';
import type { RefusalCode } from '../../../src/api/refusals/reasons.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { Blocker } from '../../../src/core/verdict.ts';
import type { World } from '../../../src/core/world/world.ts';
import { anyStory, type Story } from './arbitraries.ts';
import { newWorld, tell } from './compare.ts';
import { type Event, happen, type Moment } from './events.ts';
import { healing } from './healed.ts';
import { emptyState } from './model.ts';
import { restarted } from './restart.ts';
import { namespaceOf } from './state.ts';

const runs = Number(process.env['HOLDFAST_RUNS'] ?? effort({ short: 80, long: 400 }));
const timeout = Math.max(300_000, runs * 2_000);
const byNumbers: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['BudgetExhausted', 'UnhealthyRefused']);
/** Nothing states how large the group is: a refusal by numbers turns into it when pods come up. */
const stillByNumbers: ReadonlySet<RefusalCode> = new Set<RefusalCode>([...byNumbers, 'GroupSizeUnknown']);

interface Played {
  readonly world: World;
  readonly moment: Moment;
}

function play({ world, moment }: Played, events: readonly Event[]): Played {
  let now = { world, moment };
  for (const event of events) {
    const after = happen(now.moment, event);
    if (event.kind === 'restart') now = { world: restarted(now.world, after), moment: after };
    else {
      tell(now.world, event, now.moment, after);
      now = { world: now.world, moment: after };
    }
  }
  return now;
}

interface Refused {
  readonly request: DisruptionRequest;
  readonly blocker: Blocker;
}

function refusals({ world, moment }: Played, codes: ReadonlySet<RefusalCode>): readonly Refused[] {
  return moment.state.pods.flatMap((pod) =>
    (['EVICT', 'DELETE'] as const).flatMap((operation) => {
      const request = { operation, namespace: namespaceOf(pod), pod: pod.metadata.name };
      const verdict = decide(world, request, moment.now, { judgePlain: true });
      const blockers = verdict.result === 'deny' ? verdict.blockers.filter(({ code }) => codes.has(code)) : [];
      return blockers.map((blocker) => ({ request, blocker }));
    }),
  );
}

/** The same request, refused by the same budget. */
function sameAs({ request, blocker }: Refused): (other: Refused) => boolean {
  const key = (one: Refused): string => JSON.stringify([one.request, one.blocker.budget]);
  const own = key({ request, blocker });
  return (other) => key(other) === own;
}

interface Seen {
  never: number;
  allowedLater: number;
}

/** What a story shows to be wrong about what refusals say, and how often they said it. */
function wrongIn({ opening, events }: Story, seen: Seen): string | undefined {
  const start: Played = { world: newWorld(), moment: { state: emptyState(), now: Date.parse('2026-01-01T00:00:00Z') } };
  const then = play(start, [...opening, ...events]);
  const before = refusals(then, byNumbers);
  const later = play(then, healing(then.moment.state));
  const after = refusals(later, stillByNumbers);
  for (const one of before) {
    const still = after.find(sameAs(one));
    if (one.blocker.remedy?.kind === 'change') {
      seen.never += 1;
      if (still === undefined) return `waiting helped: ${JSON.stringify(one)}`;
    } else if (still === undefined) seen.allowedLater += 1;
    else if (still.blocker.remedy?.kind === 'change') return `waiting did not help: ${JSON.stringify([one, still])}`;
  }
  return undefined;
}

describe('what refusals say about waiting, in random worlds', () => {
  it(
    `[I15] never stays never when every pod is healthy and nothing is reserved, and the rest is allowed or lacks pods (${runs} stories)`,
    () => {
      const seen: Seen = { never: 0, allowedLater: 0 };
      fc.assert(
        fc.property(anyStory, (story) => {
          const wrong = wrongIn(story, seen);
          if (wrong !== undefined) throw new Error(wrong);
        }),
        { numRuns: runs },
      );
      expect(seen.never).toBeGreaterThan(runs / 10);
      expect(seen.allowedLater).toBeGreaterThan(runs / 10);
    },
    timeout,
  );
});

import { type Fields, isObject } from '@holdfast/base/json';
import { maxLeaseSeconds } from '../../api/probe-lease.ts';
import type { ProbeLease } from '../../core/lease.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { leaseProblem, probeLeaseProjection, type SeenLease } from '../view/probe-leases.ts';

export interface FoundLease extends SeenLease {
  /** By the agent's clock. */
  readonly renewTime: string | undefined;
}

/** What can be said of one agent's lease without watching it. */
export interface LeaseView {
  readonly node: string;
  readonly holder: string;
  readonly durationSeconds: number;
  /** Uids. */
  readonly pods: ReadonlySet<string>;
  /** Milliseconds since it was renewed. */
  readonly ageMs: number;
  /** Whose clock says so: ours, because a renewal was seen, or the agent's, which may be wrong. */
  readonly by: 'seen' | 'renewTime';
  /** `ahead`: its time is in our future, so its age is unknown. It counts as expired. */
  readonly state: 'fresh' | 'expired' | 'ahead';
}

/** Clocks of machines that keep time differ by less. */
export const toleratedMs = 5_000;

export function foundLeaseProjection(interner: Interner): (object: Fields) => FoundLease {
  const project = probeLeaseProjection(interner);
  return (object) => {
    const spec = isObject(object['spec']) ? object['spec'] : {};
    const { renewTime } = spec;
    return { ...project(object), renewTime: typeof renewTime === 'string' ? renewTime : undefined };
  };
}

interface Seen {
  readonly renewal: string;
  /** By our clock, no later than it was. Undefined: it was not seen to be renewed. */
  readonly renewedAt: number | undefined;
}

/**
 * The operator believes a lease when it has seen it renewed. Who looks once cannot: the first look goes by the time in the
 * lease, and says so; a look again later, by the same book, goes by the renewal that it saw.
 */
export class ProbeLeaseBook {
  #seen = new Map<string, Seen>();
  #lookedAt: number | undefined;

  /** @param now of this look, by our clock */
  look(leases: readonly FoundLease[], now: number): readonly LeaseView[] {
    const seen = new Map<string, Seen>();
    const views = leases.flatMap((lease) => {
      const { metadata, content, renewal } = lease;
      if (!content.ok || leaseProblem(metadata, content) !== undefined) return [];
      const before = this.#seen.get(metadata.name);
      const renewedAt = before === undefined || before.renewal === renewal ? before?.renewedAt : this.#lookedAt;
      seen.set(metadata.name, { renewal, renewedAt });
      const { node, holder, disruptable } = content.value;
      const durationSeconds = Math.min(content.value.durationSeconds, maxLeaseSeconds);
      const age = ageOf(lease.renewTime, renewedAt, now);
      return [{ node, holder, durationSeconds, pods: disruptable, ...age, state: stateOf(age, durationSeconds) }];
    });
    this.#seen = seen;
    this.#lookedAt = now;
    return views;
  }
}

/** For the engine, which knows no doubt: what is not known to be fresh is not there. */
export function believed({ state, ageMs, durationSeconds, pods }: LeaseView, now: number): ProbeLease | undefined {
  return state === 'fresh' ? { renewedAt: now - Math.max(0, ageMs), durationSeconds, pods } : undefined;
}

function ageOf(
  renewTime: string | undefined,
  renewedAt: number | undefined,
  now: number,
): Pick<LeaseView, 'ageMs' | 'by'> {
  if (renewedAt !== undefined) return { ageMs: now - renewedAt, by: 'seen' };
  const written = Date.parse(renewTime ?? '');
  return { ageMs: Number.isNaN(written) ? Number.POSITIVE_INFINITY : now - written, by: 'renewTime' };
}

function stateOf({ ageMs, by }: Pick<LeaseView, 'ageMs' | 'by'>, durationSeconds: number): LeaseView['state'] {
  if (by === 'renewTime' && ageMs < -toleratedMs) return 'ahead';
  return ageMs < durationSeconds * 1_000 ? 'fresh' : 'expired';
}

import type { Parsed } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { agentsNamespace } from '../../api/installation-names.ts';
import { maxLeaseSeconds, type ProbeLeaseContent, readProbeLease } from '../../api/probe-lease.ts';
import type { World } from '../../core/world/world.ts';
import { formerProbeLeaseName, probeLeaseName } from '../../kube/probes/lease-name.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { projectMeta } from '../../kube/projection/meta.ts';
import type { Reflected, Sink } from '../../kube/reflector/sink.ts';
import type { Clock, Timer } from '../../kube/time/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { LeaseTarget } from './node-leases.ts';

export interface SeenLease extends Reflected {
  readonly content: Parsed<ProbeLeaseContent>;
  /** Differs with each renewal. Its times are by the node's clock, which may be wrong: they are compared for equality only. */
  readonly renewal: string;
}

export interface ProbeLeaseParts {
  readonly world: Pick<World, 'advance'>;
  readonly target: LeaseTarget;
  readonly clock: Clock;
  readonly log: Logger;
  /** The watch has shown everything up to this version. */
  readonly synced: (resourceVersion: string) => void;
  /**
   * When a lease that is seen for the first time was renewed, on the monotonic clock; absent: that is never known, because the time in
   * it is by the node's clock. Nothing may be admitted by such a time; people may be shown what it says.
   */
  readonly firstRenewal?: (lease: SeenLease) => number | undefined;
}

interface Known {
  readonly node: string;
  readonly renewal: string;
  readonly pods: ReadonlySet<string>;
  /** Undefined: this replica has not seen a renewal yet. */
  readonly renewedAt: number | undefined;
  readonly durationSeconds: number;
}

/** Every agent renews every ten seconds. A silence of this length is normal in a small cluster; in a larger one the watch was interrupted. */
const silenceMs = 5_000;
/** For this long after a silence, events may be late reports of renewals that happened during it. */
const catchUpMs = 1_000;

export function probeLeaseProjection(interner: Interner): (object: Fields) => SeenLease {
  return (object) => {
    const spec = isObject(object['spec']) ? object['spec'] : {};
    return {
      metadata: projectMeta(object, { interner, keepAnnotation: () => false }),
      content: readProbeLease(object),
      renewal: JSON.stringify([spec['holderIdentity'], spec['renewTime']]),
    };
  };
}

/**
 * Leases of the probe agents go into the world with the moment at which *we* saw them renewed, on the monotonic clock: neither
 * a wrong clock of a node nor a jump of our own makes one fresh for longer, or stale at once. A lease that is found at the start, or
 * again after an interruption, may have been left by an agent that is long dead; so it counts only from the renewal that comes next.
 */
export class ProbeLeaseSink implements Sink<SeenLease> {
  readonly #parts: ProbeLeaseParts;
  readonly #known = new Map<string, Known>();
  /** When the watch last reported anything. Undefined: the first list has not arrived. */
  #heardAt: number | undefined;
  /** The last silence of the watch, and until when late reports from it may arrive. */
  #silence: { readonly since: number; readonly until: number } | undefined;
  #timer: { readonly due: number; readonly timer: Timer } | undefined;
  #closed = false;

  constructor(parts: ProbeLeaseParts) {
    this.#parts = parts;
  }

  replace(items: readonly SeenLease[], resourceVersion: string): void {
    const kept = new Set(items.map(({ metadata }) => metadata.name));
    for (const name of [...this.#known.keys()]) if (!kept.has(name)) this.#forget(name);
    // A lease that changed between two lists may have been renewed right after the first one, and its agent may be dead since.
    for (const item of items) this.#take(item, this.#heardAt);
    this.bookmark(resourceVersion);
  }

  upsert(item: SeenLease, resourceVersion: string): void {
    this.#take(item, this.#earliestRenewal());
    this.bookmark(resourceVersion);
  }

  remove(item: SeenLease, resourceVersion: string): void {
    this.#forget(item.metadata.name);
    this.bookmark(resourceVersion);
  }

  bookmark(resourceVersion: string): void {
    this.#heardAt = this.#parts.clock.monotonic();
    this.#parts.synced(resourceVersion);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.timer.cancel();
  }

  /**
   * A watch that was cut, or a process that was frozen, reports old renewals all at once. They count from before the silence, or the lease of a dead
   * agent would look fresh.
   */
  #earliestRenewal(): number {
    const now = this.#parts.clock.monotonic();
    const since = this.#heardAt ?? now;
    if (now - since > silenceMs) this.#silence = { since, until: now + catchUpMs };
    return this.#silence !== undefined && now < this.#silence.until ? this.#silence.since : now;
  }

  /** @param renewedAt when it was renewed, if it was; undefined: not known */
  #take(lease: SeenLease, renewedAt: number | undefined): void {
    const { metadata, content, renewal } = lease;
    const { name } = metadata;
    const before = this.#known.get(name);
    const problem = leaseProblem(metadata, content);
    if (!content.ok || problem !== undefined) {
      this.#parts.log.warn('a probe lease is not valid', { lease: name, problem });
      // The time of the last renewal is kept: when a person repairs the lease by hand, that is no renewal by the agent.
      if (before !== undefined) this.#parts.target.silence(before.node);
      return;
    }
    const { node, durationSeconds, disruptable } = content.value;
    const known: Known = {
      node,
      renewal,
      pods: before !== undefined && sameMembers(before.pods, disruptable) ? before.pods : disruptable,
      renewedAt: before?.renewal === renewal ? before.renewedAt : (renewedAt ?? this.#firstRenewal(lease, before)),
      durationSeconds: Math.min(durationSeconds, maxLeaseSeconds),
    };
    this.#known.set(name, known);
    this.#tell(known);
  }

  #firstRenewal(lease: SeenLease, before: Known | undefined): number | undefined {
    return before === undefined ? this.#parts.firstRenewal?.(lease) : undefined;
  }

  #tell({ node, pods, renewedAt, durationSeconds }: Known): void {
    if (renewedAt === undefined) {
      this.#parts.target.silence(node);
      return;
    }
    this.#parts.target.set(node, { renewedAt, durationSeconds, pods });
    this.#arm(renewedAt + durationSeconds * 1_000);
  }

  #forget(name: string): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    this.#known.delete(name);
    this.#parts.target.delete(known.node);
  }

  /** Statuses and metrics must follow a lease that runs out, even while no request asks for a verdict. */
  #arm(due: number): void {
    if (this.#closed || (this.#timer !== undefined && this.#timer.due <= due)) return;
    this.#timer?.timer.cancel();
    const wait = Math.max(1, due - this.#parts.clock.monotonic());
    this.#timer = { due, timer: this.#parts.clock.after(wait, () => this.#expire()) };
  }

  #expire(): void {
    const { world, clock } = this.#parts;
    this.#timer = undefined;
    const now = clock.monotonic();
    world.advance(now);
    let next = Number.POSITIVE_INFINITY;
    for (const { renewedAt, durationSeconds } of this.#known.values()) {
      const due = renewedAt === undefined ? now : renewedAt + durationSeconds * 1_000;
      if (due > now) next = Math.min(next, due);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next);
  }
}

/** Why the lease confirms no pod. A lease under another name than that of its node could speak against the real one. */
export function leaseProblem(
  { namespace, name }: Reflected['metadata'],
  content: Parsed<ProbeLeaseContent>,
): string | undefined {
  if (!content.ok) return content.errors.map(({ field }) => field).join(', ');
  const nameOf = namespace === agentsNamespace ? probeLeaseName : formerProbeLeaseName;
  return name === nameOf(content.value.node) ? undefined : `node ${content.value.node} has another lease`;
}

function sameMembers(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size !== right.size) return false;
  for (const one of left) if (!right.has(one)) return false;
  return true;
}

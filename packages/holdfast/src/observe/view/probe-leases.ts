import type { Parsed } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { agentsNamespace } from '../../api/installation-names.ts';
import { type ProbeLeaseContent, readProbeLease } from '../../api/probe-lease.ts';
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
  /** Another with each renewal. The times in it are by the node's clock, and only compared. */
  readonly renewal: string;
}

export interface ProbeLeaseParts {
  readonly world: Pick<World, 'advance'>;
  readonly target: LeaseTarget;
  readonly clock: Clock;
  readonly log: Logger;
  /** The collection has been seen up to this version. */
  readonly synced: (resourceVersion: string) => void;
}

interface Known {
  readonly node: string;
  readonly renewal: string;
  readonly pods: ReadonlySet<string>;
  /** Undefined: it has not been seen to change. */
  readonly renewedAt: number | undefined;
  readonly durationSeconds: number;
}

/** Each node renews every ten seconds: a silence of this length may be an interruption, and may be a small cluster. */
const silenceMs = 5_000;
/** For so long after a silence the server may be telling of what happened in it. */
const catchUpMs = 1_000;

/** No agent is trusted for longer without a renewal, whatever its lease says. */
export const maxLeaseSeconds = 3_600;

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
  /** When something was last heard about the collection. Undefined: it has not been seen whole. */
  #heardAt: number | undefined;
  /** The last silence, and until when renewals may be of that time. */
  #silence: { readonly since: number; readonly until: number } | undefined;
  #timer: { readonly due: number; readonly timer: Timer } | undefined;
  #closed = false;

  constructor(parts: ProbeLeaseParts) {
    this.#parts = parts;
  }

  replace(items: readonly SeenLease[], resourceVersion: string): void {
    const kept = new Set(items.map(({ metadata }) => metadata.name));
    for (const name of [...this.#known.keys()]) if (!kept.has(name)) this.#forget(name);
    // What has changed meanwhile may have done so at once after we last heard of it.
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

  /** A watch that was cut, or a process that was frozen, shows old renewals all at once: they count from before the silence. */
  #earliestRenewal(): number {
    const now = this.#parts.clock.monotonic();
    const since = this.#heardAt ?? now;
    if (now - since > silenceMs) this.#silence = { since, until: now + catchUpMs };
    return this.#silence !== undefined && now < this.#silence.until ? this.#silence.since : now;
  }

  /** @param renewedAt when it was renewed, if it was; undefined: not known */
  #take({ metadata, content, renewal }: SeenLease, renewedAt: number | undefined): void {
    const { name } = metadata;
    const before = this.#known.get(name);
    const problem = leaseProblem(metadata, content);
    if (!content.ok || problem !== undefined) {
      this.#parts.log.warn('a probe lease is not valid', { lease: name, problem });
      // When it was renewed stays known: to be put right by hand does not make it younger.
      if (before !== undefined) this.#parts.target.silence(before.node);
      return;
    }
    const { node, durationSeconds, disruptable } = content.value;
    const known: Known = {
      node,
      renewal,
      pods: before !== undefined && sameMembers(before.pods, disruptable) ? before.pods : disruptable,
      renewedAt: before?.renewal === renewal ? before.renewedAt : renewedAt,
      durationSeconds: Math.min(durationSeconds, maxLeaseSeconds),
    };
    this.#known.set(name, known);
    this.#tell(known);
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

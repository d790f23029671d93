import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { KubeClient } from '../../kube/client/client.ts';
import { leases } from '../../kube/election/lease-api.ts';
import {
  type ElectionCandidate,
  isHeldBy,
  mayTake,
  type Observation,
  observeLease,
} from '../../kube/election/lease-record.ts';
import type { Failure, Outcome } from '../../kube/outcome/failure.ts';
import { probeLeaseName } from '../../kube/probes/lease-name.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { leaseWith, uidListText } from './lease-document.ts';
import { nodeReference } from './node-reference.ts';
import { type PreviousLease, previousLeaseOf } from './previous-lease.ts';

export interface LeaseClaimOptions {
  readonly node: string;
  /** Holdfast's own. */
  readonly namespace: string;
  /** Of the agent, unique per process start. */
  readonly identity: string;
  readonly durationMs: number;
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The uids to list, computed at each call. */
  readonly disruptable: () => readonly string[];
}

export interface ClaimTerms {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Also from a predecessor whose word could still count. */
  readonly overPrevious: boolean;
}

export type ClaimResult =
  /** @property start monotonic, from before the write */
  | { readonly kind: 'written'; readonly start: number; readonly held: boolean }
  | { readonly kind: 'theirs'; readonly holder: string | undefined }
  | { readonly kind: 'inherited'; readonly previous: PreviousLease }
  | { readonly kind: 'outdated' }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly sent: boolean };

type Base =
  /** Undefined: there is none, and it is to be made. */
  | { readonly kind: 'ours'; readonly lease: Lease | undefined; readonly owner: OwnerReference | undefined }
  | Extract<ClaimResult, { readonly kind: 'theirs' | 'inherited' | 'failed' }>;

/** The lease of one node at the API server: what is known of it, and how it is written. */
export class LeaseClaim {
  readonly #options: LeaseClaimOptions;
  readonly #place: { readonly namespace: string; readonly name: string };
  readonly #candidate: ElectionCandidate;
  #seen: Observation | undefined;
  /** What was last written, if nothing came in between; its resourceVersion is what the next write rests on. */
  #written: { readonly lease: Lease; readonly list: string } | undefined;
  /** Of the last time that it was read. */
  #owner: OwnerReference | undefined;
  /** Since this process started. */
  #everHeld = false;

  constructor(options: LeaseClaimOptions) {
    const { node, namespace, identity, durationMs } = options;
    this.#options = options;
    this.#place = { namespace, name: probeLeaseName(node) };
    this.#candidate = { identity, leaseDurationMs: durationMs };
  }

  /** What it lists; undefined: that is not known. */
  get list(): string | undefined {
    return this.#written?.list;
  }

  get everHeld(): boolean {
    return this.#everHeld;
  }

  async write(terms: ClaimTerms): Promise<ClaimResult> {
    const base = await this.#base(terms);
    if (base.kind !== 'ours') return base;
    this.#owner = base.owner;
    const start = this.#options.clock.monotonic();
    const uids = this.#options.disruptable();
    const outcome = await this.#send(base, uids, terms);
    if (outcome.ok) return { kind: 'written', start, held: this.#took(outcome.value, uidListText(uids)) };
    // Whatever came of it: what the lease says now is not known.
    this.#written = undefined;
    return isOutdated(outcome.failure)
      ? { kind: 'outdated' }
      : { kind: 'failed', failure: outcome.failure, sent: true };
  }

  /** What the next write rests on. Another holder is left alone while it renews, except for the first write since this process started. */
  async #base(terms: ClaimTerms): Promise<Base> {
    if (this.#written !== undefined) return { kind: 'ours', lease: this.#written.lease, owner: this.#owner };
    const { client, clock } = this.#options;
    const found = await client.get<Lease>(leases, this.#place, callOf(terms));
    if (!found.ok && found.failure.kind !== 'notFound') {
      return { kind: 'failed', failure: found.failure, sent: false };
    }
    const lease = found.ok ? found.value : undefined;
    if (lease !== undefined) {
      this.#seen = observeLease(this.#seen, lease, clock.monotonic());
      const refused = this.#refusal(lease, this.#seen, terms);
      if (refused !== undefined) return refused;
    }
    return { kind: 'ours', lease, owner: await nodeReference(client, this.#options.node, callOf(terms)) };
  }

  #refusal(lease: Lease, seen: Observation, { overPrevious }: ClaimTerms): Base | undefined {
    if (mayTake(seen, this.#candidate, this.#options.clock.monotonic())) return undefined;
    if (this.#everHeld) return { kind: 'theirs', holder: lease.spec?.holderIdentity };
    const previous = overPrevious ? undefined : previousLeaseOf(lease);
    return previous === undefined ? undefined : { kind: 'inherited', previous };
  }

  #send({ lease, owner }: Extract<Base, { kind: 'ours' }>, uids: readonly string[], terms: ClaimTerms) {
    const { client, clock, node } = this.#options;
    const [place, candidate, now] = [this.#place, this.#candidate, clock.now()];
    const body = leaseWith({ lease, place, candidate, node, owner, uids, now });
    const sent: Promise<Outcome<Lease>> =
      lease === undefined
        ? client.create<Lease>(leases, { namespace: place.namespace }, body, callOf(terms))
        : client.replace<Lease>(leases, place, body, callOf(terms));
    return sent;
  }

  #took(lease: Lease, list: string): boolean {
    this.#everHeld = true;
    this.#seen = observeLease(this.#seen, lease, this.#options.clock.monotonic());
    this.#written = { lease, list };
    return isHeldBy(lease, this.#options.identity);
  }
}

function callOf({ deadlineMs, signal }: ClaimTerms) {
  return { deadlineMs, signal };
}

function isOutdated({ kind }: Failure): boolean {
  return kind === 'conflict' || kind === 'notFound' || kind === 'alreadyExists' || kind === 'gone';
}

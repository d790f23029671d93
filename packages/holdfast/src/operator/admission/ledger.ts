import { type DisruptionLedger, ledgerGroup, ledgerName, type Reservation } from '../../api/ledger.ts';
import type { ReleaseReason } from '../../core/ledger/prune.ts';
import { isAtLeast } from '../../core/resource-version.ts';
import type { World } from '../../core/world/world.ts';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import { type Metrics, requestBuckets } from '../../telemetry/metrics.ts';
import { timeboxed } from './deadline.ts';

/** Ledgers as the operator reads and writes them: consistent reads, compare-and-swap, and the newest version in the world. */

export type LedgerRead =
  | { readonly kind: 'found'; readonly ledger: DisruptionLedger }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

export type LedgerWrite =
  | { readonly kind: 'stored'; readonly ledger: DisruptionLedger }
  /** Another replica wrote, or created it, first. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'missing' }
  /** Whether it was written all the same is not known, and need not be: the next compare-and-swap finds out. */
  | { readonly kind: 'failed'; readonly message: string };

export interface LedgerStore {
  /** A consistent read, never one from a cache: what it shows was so after the call began (L6). */
  read(namespace: string, signal: AbortSignal): Promise<LedgerRead>;
  create(ledger: DisruptionLedger, signal: AbortSignal): Promise<LedgerWrite>;
  /** Compare and swap by `metadata.resourceVersion`. */
  replace(ledger: DisruptionLedger, signal: AbortSignal): Promise<LedgerWrite>;
}

export type Writer = 'batch' | 'prune' | 'withdraw' | 'sizes' | 'create';

/** For metrics and logs. None of them may throw. */
export interface LedgerEvents {
  /** A batch was answered: how many requests shared it, how many it reserved, and after how many attempts. */
  readonly batch?: (namespace: string, requests: number, reserved: number, attempts: number) => void;
  readonly wrote?: (namespace: string, writer: Writer, outcome: LedgerWrite['kind'], milliseconds: number) => void;
  /** A reservation was written, and its request was answered "not now". It counts until the pruner releases it. */
  readonly abandoned?: (namespace: string, pod: string) => void;
  readonly released?: (namespace: string, reservation: Reservation, why: ReleaseReason) => void;
}

interface AccessParts {
  readonly world: World;
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly events: LedgerEvents;
  /** How long one call of the API server may take. */
  readonly callMs: number;
}

/** Namespaces come and go. It matters for a tenth of a second when one was written; to forget it costs a write at most. */
const maxRemembered = 10_000;

/** Reads and writes ledgers in bounded time, and keeps the world's copy as new as what was seen. */
export class LedgerAccess {
  readonly #parts: AccessParts;
  /** By namespace. */
  readonly #batchedAt = new Map<string, number>();

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** When this process last wrote reservations, by the clock's `monotonic`. */
  batchedAt(namespace: string): number {
    return this.#batchedAt.get(namespace) ?? Number.NEGATIVE_INFINITY;
  }

  /** The resourceVersion that the world judges by. */
  version(namespace: string): string | undefined {
    return this.#parts.world.namespace(namespace)?.ledger?.metadata.resourceVersion;
  }

  /** @param leftMs what is left of the time of the requests that wait for it; absent: none does */
  async read(namespace: string, leftMs = Number.POSITIVE_INFINITY): Promise<LedgerRead> {
    const { world, store, clock, callMs } = this.#parts;
    const before = this.version(namespace);
    const failed = (message: string): LedgerRead => ({ kind: 'failed', message });
    const limit = Math.min(callMs, leftMs);
    const answer = await timeboxed(clock, limit, (signal) => store.read(namespace, signal), failed);
    if (answer.kind === 'found') acceptRead(world, namespace, answer.ledger, before);
    return answer;
  }

  /**
   * Creates a ledger that has no version yet; otherwise compares and swaps. A write that was sent is waited for, also when the
   * requests that asked for it are over: what it reserved has to be known.
   */
  async write(namespace: string, ledger: DisruptionLedger, writer: Writer): Promise<LedgerWrite> {
    const { store } = this.#parts;
    if (ledger.metadata.resourceVersion !== undefined) {
      return this.#write(namespace, writer, (signal) => store.replace(ledger, signal));
    }
    return this.#write(namespace, 'create', (signal) => store.create(ledger, signal));
  }

  /**
   * There is no ledger: nothing is reserved, and the first reservation will create it; until then nothing leaves a trace. If a person
   * deleted it, this replica goes on with what it last knew of it, so that what was allowed stays reserved. (The pods of a namespace
   * that was deleted and created again have other uids: such reservations hold up no request, and end when their pods are seen to be
   * gone.)
   */
  assume(namespace: string): DisruptionLedger {
    const { world } = this.#parts;
    const known = world.namespace(namespace)?.ledger?.spec;
    const spec = { ...known, reservations: known?.reservations ?? [] };
    const ledger = { metadata: { name: ledgerName, namespace }, spec };
    world.setLedger(namespace, ledger);
    return ledger;
  }

  /**
   * What a ledger held that a person deleted must be there for other replicas, too, before anything is decided by it, or released from it.
   * Undefined: it is there, or there was nothing to put back.
   */
  async restore(namespace: string): Promise<string | undefined> {
    const ledger = this.assume(namespace);
    if (ledger.spec?.reservations?.length === 0) return undefined;
    const created = await this.write(namespace, ledger, 'create');
    if (created.kind === 'stored') return undefined;
    if (created.kind === 'conflict') return 'another replica created it';
    return `it could not be created: ${created.kind === 'failed' ? created.message : 'there is no such namespace'}`;
  }

  async #write(
    namespace: string,
    writer: Writer,
    call: (signal: AbortSignal) => Promise<LedgerWrite>,
  ): Promise<LedgerWrite> {
    const { world, clock, events, callMs } = this.#parts;
    const began = clock.monotonic();
    const failed = (message: string): LedgerWrite => ({ kind: 'failed', message });
    const answer = await timeboxed(clock, callMs, call, failed);
    if (answer.kind === 'stored') world.acceptLedger(namespace, answer.ledger);
    if (answer.kind === 'stored' && writer === 'batch') this.#batched(namespace);
    events.wrote?.(namespace, writer, answer.kind, clock.monotonic() - began);
    return answer;
  }

  #batched(namespace: string): void {
    if (this.#batchedAt.size >= maxRemembered) this.#batchedAt.clear();
    this.#batchedAt.set(namespace, this.#parts.clock.monotonic());
  }
}

const version = 'v1alpha1';
const ledgers: ResourceName = { group: ledgerGroup, version, plural: 'disruptionledgers', namespaced: true };
const typeMeta = { apiVersion: `${ledgerGroup}/${version}`, kind: 'DisruptionLedger' } as const;

type Client = Pick<KubeClient, 'get' | 'create' | 'replace'>;

/** Ledgers in the API server. A GET without a resourceVersion is a consistent read; lists are slow just after a write. */
export function kubeLedgerStore(client: Client): LedgerStore {
  return {
    async read(namespace, signal): Promise<LedgerRead> {
      const place = { namespace, name: ledgerName };
      const answer = await client.get<DisruptionLedger>(ledgers, place, { signal });
      if (answer.ok) return isVersioned(answer.value) ? { kind: 'found', ledger: answer.value } : versionless;
      const { kind, message } = answer.failure;
      return kind === 'notFound' ? { kind: 'missing' } : { kind: 'failed', message };
    },
    async create(ledger, signal): Promise<LedgerWrite> {
      const { namespace } = ledger.metadata;
      return written(await client.create<DisruptionLedger>(ledgers, { namespace }, withType(ledger), { signal }));
    },
    async replace(ledger, signal): Promise<LedgerWrite> {
      const { namespace, resourceVersion } = ledger.metadata;
      // Without a version it would overwrite whatever is there.
      if (resourceVersion === undefined) return versionless;
      const place = { namespace, name: ledgerName };
      return written(await client.replace<DisruptionLedger>(ledgers, place, withType(ledger), { signal }));
    },
  };
}

const versionless = { kind: 'failed', message: 'an object without a resourceVersion' } as const;

function isVersioned(ledger: DisruptionLedger): boolean {
  return ledger.metadata?.resourceVersion !== undefined;
}

/** Objects that came out of a list or were made here do not say what they are. */
function withType(ledger: DisruptionLedger): DisruptionLedger & typeof typeMeta {
  return { ...ledger, ...typeMeta };
}

function written(answer: Outcome<DisruptionLedger>): LedgerWrite {
  if (answer.ok) return isVersioned(answer.value) ? { kind: 'stored', ledger: answer.value } : versionless;
  const { kind, message } = answer.failure;
  switch (kind) {
    case 'conflict':
    case 'alreadyExists':
      return { kind: 'conflict' };
    case 'notFound':
      return { kind: 'missing' };
    default:
      return { kind: 'failed', message };
  }
}

/**
 * Takes in what a consistent read found; `before` is the version that the world had when the read began. Such a read shows every write
 * that was done before it began. So a version older than `before` means that etcd was restored from a backup: what was known is no
 * longer in the store, and every write upon it would be refused. API servers are stopped for a restore, so no request that was admitted
 * before it is still under way.
 */
export function acceptRead(
  world: World,
  namespace: string,
  ledger: DisruptionLedger,
  before: string | undefined,
): boolean {
  const known = world.namespace(namespace)?.ledger?.metadata.resourceVersion;
  const found = ledger.metadata.resourceVersion ?? '';
  const wasRestored = before !== undefined && known === before && isAtLeast(before, found) && found !== before;
  if (!wasRestored) return world.acceptLedger(namespace, ledger);
  world.setLedger(namespace, ledger);
  return true;
}

/** As many as one write takes at most. */
const batchBuckets: readonly number[] = [1, 2, 5, 10, 25, 50, 100, 250, 500];

function createLedgerMetrics(metrics: Metrics) {
  return {
    writes: metrics.counter({
      name: 'ledger_writes_total',
      help: 'Writes of ledgers, by writer and outcome; conflict: another replica wrote first.',
      labels: ['writer', 'outcome'],
    }),
    durations: metrics.histogram(
      { name: 'ledger_write_duration_seconds', help: 'Duration of ledger writes.', labels: ['writer'] },
      requestBuckets,
    ),
    batches: metrics.histogram(
      { name: 'ledger_batch_requests', help: 'Requests that were decided together in one ledger write.', labels: [] },
      batchBuckets,
    ),
    reserved: metrics.counter({
      name: 'ledger_reservations_total',
      help: 'Disruptions that were allowed and reserved.',
      labels: [],
    }),
    abandoned: metrics.counter({
      name: 'ledger_reservations_abandoned_total',
      help: 'Reservations whose request was refused after all; they hold budget until they are released.',
      labels: [],
    }),
    released: metrics.counter({
      name: 'ledger_reservations_released_total',
      help: 'Reservations that were released, by what happened to the pod.',
      labels: ['reason'],
    }),
  };
}

/** What happens to ledgers, as metrics and log lines. */
export function createLedgerEvents(metrics: Metrics, log: Logger): LedgerEvents {
  const { writes, durations, batches, reserved, abandoned, released } = createLedgerMetrics(metrics);
  return {
    batch(namespace, requests, count, attempts) {
      batches.observe({}, requests);
      reserved.add({}, count);
      log.debug('disruptions decided', { namespace, requests, reserved: count, attempts });
    },
    wrote(namespace, writer, outcome, milliseconds) {
      writes.add({ writer, outcome });
      durations.observe({ writer }, milliseconds / 1_000);
      const told = { namespace, writer, outcome, milliseconds };
      if (outcome === 'failed' || outcome === 'missing') log.warn('ledger not written', told);
      else log.debug('ledger written', told);
    },
    abandoned(namespace, pod) {
      abandoned.add({});
      log.info('reservation abandoned', { namespace, pod });
    },
    released(namespace, { pod, uid, operation, time }, why) {
      released.add({ reason: why });
      log.debug('reservation released', { namespace, pod, uid, operation, reservedAt: time, why });
    },
  };
}

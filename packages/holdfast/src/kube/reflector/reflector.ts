import type { Fields } from '@holdfast/base/json';
import type { ResourceName, Selection } from '../client/client.ts';
import { list } from '../client/list.ts';
import type { KubeReader } from '../client/reader.ts';
import type { WatchEvent } from '../stream/watch-events.ts';
import { readWatch, type WatchEnd } from '../stream/watch-reader.ts';
import { Backoff, type BackoffLimits } from '../time/backoff.ts';
import { type Clock, sleep } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { WatchProof } from '../transport/wire.ts';
import { planAfter, type ReflectorAttempt, type ReflectorPlan } from './reflector-plan.ts';
import type { Reflected, Sink } from './sink.ts';
import { WatchSession } from './watch-session.ts';
import { type StallLimits, WatchTerms } from './watch-terms.ts';

/** What was found out about a server, shared by all that read from it. */
export interface ServerTraits {
  /** False once it refused to send state as a watch. */
  watchList: boolean;
}

export interface ReflectorOptions<T extends Reflected> extends StallLimits {
  readonly client: KubeReader;
  readonly resource: ResourceName;
  readonly selection?: Selection;
  /** Keeps what is needed of an object. What it throws means that the server sends nonsense. */
  readonly project: (object: Fields) => T;
  readonly sink: Sink<T>;
  readonly traits: ServerTraits;
  readonly clock: Clock;
  readonly random: Random;
  readonly pageSize?: number;
  readonly backoff?: BackoffLimits;
  /** Told about every end that is not an ordinary one. */
  readonly report?: (end: Exclude<WatchEnd, { kind: 'closed' }>) => void;
}

const defaultBackoff: BackoffLimits = { baseMs: 250, capMs: 30_000 };
/** A server that could not be reached is tried again this soon: until it answers, nothing is judged. */
const reconnectCapMs = 2_000;
const maxLineBytes = 16 * 1024 * 1024;

/** Keeps a sink like a collection of the API server, through everything that happens to servers and connections. */
export class Reflector<T extends Reflected> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  readonly #reconnect: Backoff;
  readonly #liveness: Liveness;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #resourceVersion: string | undefined;
  #skipWatchList = false;
  #barrenInARow = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    const { backoff = defaultBackoff, random, clock } = options;
    this.#backoff = new Backoff(backoff, random);
    this.#reconnect = new Backoff({ ...backoff, capMs: Math.min(backoff.capMs, reconnectCapMs) }, random);
    this.#liveness = new Liveness(clock);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Milliseconds since this view was last known to be current. Infinity: never. */
  silentMs(): number {
    return this.#liveness.silentMs();
  }

  /** It was not known to be current for longer than anything should rest on. */
  get stale(): boolean {
    return this.#liveness.stale;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const session = await this.#session();
      if (signal.aborted) return;
      if (session.end.kind !== 'listed' && session.end.kind !== 'closed') this.#options.report?.(session.end);
      await this.#follow(planAfter(session), session.useful);
    }
  }

  async #follow(plan: ReflectorPlan, useful: boolean): Promise<void> {
    if (plan.resync) this.#resourceVersion = undefined;
    if (plan.watchList === 'unsupported') this.#options.traits.watchList = false;
    this.#skipWatchList = plan.watchList !== 'keep';
    if (useful) for (const backoff of [this.#backoff, this.#reconnect]) backoff.reset();
    const delay = plan.wait.backoff === 'none' ? 0 : this.#backoffFor(plan.wait.backoff).next();
    const wait = Math.max(delay, plan.wait.atLeastMs);
    if (wait > 0) await sleep(this.#options.clock, wait, this.#stopping.signal);
  }

  #backoffFor(kind: 'reconnect' | 'refused'): Backoff {
    return kind === 'reconnect' ? this.#reconnect : this.#backoff;
  }

  async #session(): Promise<ReflectorAttempt> {
    const { clock, traits } = this.#options;
    const start = clock.monotonic();
    // A view that was blind for too long is read again: how far a watch that goes on from there has come, is not to be seen.
    if (this.#liveness.proven && this.#liveness.stale) this.#resourceVersion = undefined;
    const reached = this.#resourceVersion;
    const tried = reached !== undefined ? 'watch' : traits.watchList && !this.#skipWatchList ? 'watchList' : 'list';
    const session = new WatchSession<T>(tried !== 'watchList');
    const end = await guarded(tried === 'list' ? this.#list(session) : this.#watch(session, reached));
    this.#liveness.ended({ properly: end.kind === 'closed' });
    if (session.useful) this.#barrenInARow = 0;
    else if (session.opened && (end.kind === 'garbled' || end.kind === 'failed')) this.#barrenInARow += 1;
    return {
      tried,
      end,
      useful: session.useful,
      complete: session.complete,
      lastedMs: clock.monotonic() - start,
      barrenInARow: this.#barrenInARow,
    };
  }

  async #list(session: WatchSession<T>): Promise<ReflectorAttempt['end']> {
    const { client, resource, selection, project, clock, pageSize, sink } = this.#options;
    const listed = await list({
      client,
      resource,
      project,
      clock,
      signal: this.#stopping.signal,
      ...(selection === undefined ? {} : { selection }),
      ...(pageSize === undefined ? {} : { pageSize }),
    });
    if (!listed.ok) return { kind: 'failed', failure: listed.failure };
    const { items, resourceVersion } = listed.value;
    sink.replace(items, resourceVersion);
    this.#reached(session, resourceVersion);
    return { kind: 'listed' };
  }

  /** Without a resourceVersion the state comes first, as events. */
  async #watch(session: WatchSession<T>, resourceVersion: string | undefined): Promise<WatchEnd> {
    const { client, resource, selection = {}, clock, random } = this.#options;
    const terms = new WatchTerms(this.#options, resourceVersion, random);
    const call = { signal: this.#stopping.signal, deadlineMs: terms.deadlineMs };
    const opened = await client.watch(resource, selection, (proof) => terms.queryFor(proof), call);
    if (!opened.ok) return { kind: 'failed', failure: opened.failure };
    session.opened = true;
    const { body, proof, lost } = opened.value;
    if (session.complete) this.#liveness.began(proof);
    const start = clock.monotonic();
    const end = await readWatch(body, {
      clock,
      maxLineBytes,
      stallMs: (since) => terms.patienceMs(session.complete, proof.kind, since - start),
      onEvent: (event) => this.#take(session, proof, event),
    });
    if (end.kind !== 'stalled' || proof.kind !== 'renewed' || !session.complete) return end;
    lost();
    return { kind: 'dead', message: `the API server did not end a watch of ${terms.timeoutSeconds} seconds` };
  }

  #take(
    session: WatchSession<T>,
    proof: WatchProof,
    event: Exclude<WatchEvent, { type: 'ERROR' }>,
  ): 'enough' | undefined {
    const { sink, project } = this.#options;
    if (event.type === 'BOOKMARK') {
      if (session.complete) {
        sink.bookmark(event.resourceVersion);
        this.#reached(session, event.resourceVersion);
      } else if (event.initialEnd) {
        sink.replace(session.takeInitial(), event.resourceVersion);
        session.complete = true;
        this.#reached(session, event.resourceVersion);
        // It was to last until the state is complete. What follows is watched for a shorter time.
        if (proof.kind === 'renewed') return 'enough';
        this.#liveness.began(proof);
      }
      return undefined;
    }
    const item = project(event.object);
    const version = versionOf(event.object);
    if (!session.complete) {
      session.initially(event.type, item);
      return undefined;
    }
    if (event.type === 'DELETED') sink.remove(item, version);
    else sink.upsert(item, version);
    this.#reached(session, version);
    return undefined;
  }

  #reached(session: WatchSession<T>, resourceVersion: string): void {
    session.useful = true;
    this.#resourceVersion = resourceVersion;
    this.#liveness.shown();
  }
}

/** A sink that throws is a session that failed, not the end of reflecting. */
async function guarded(session: Promise<ReflectorAttempt['end']>): Promise<ReflectorAttempt['end']> {
  try {
    return await session;
  } catch (error) {
    return { kind: 'garbled', message: error instanceof Error ? error.message : String(error) };
  }
}

function versionOf(object: Fields): string {
  const metadata = object['metadata'] as { readonly resourceVersion?: unknown } | undefined;
  if (typeof metadata?.resourceVersion !== 'string') throw new SyntaxError('an object has a resourceVersion');
  return metadata.resourceVersion;
}

/**
 * A view that was not known to be current for so long is stale. It leaves room for two things: a dead connection is noticed after ten
 * seconds, or twelve where the server answers no pings, and another one is then opened.
 */
const maxSilentMs = 15_000;
/** Where nothing is done to find out: bookmarks come about every minute, and a silence of 130 seconds is ended by reading everything again. */
const maxTrustedMs = 170_000;
/** For so long after it began, a watch may be telling of what happened before, or be about to fail. */
const settleMs = 1_000;

/** When a view was last known to be current: what a server said, or that it still has its connection to us. */
export class Liveness {
  readonly #clock: Clock;
  #knownAt: number | undefined;
  #watch: { readonly proof: WatchProof; readonly since: number } | undefined;
  #proven = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Its dead connections are noticed. */
  get proven(): boolean {
    return this.#proven;
  }

  /** An event, a bookmark or a list was taken in. */
  shown(): void {
    this.#knownAt = this.#clock.monotonic();
  }

  /** A watch follows the view from now on. */
  began(proof: WatchProof): void {
    this.#watch = { proof, since: this.#clock.monotonic() };
    this.#proven = proof.kind !== 'trusted';
  }

  ended({ properly }: { readonly properly: boolean }): void {
    // That the server ended it shows that it had said everything. Otherwise it was alive until it was last heard.
    if (properly && this.#watch?.proof.kind === 'renewed') this.shown();
    const silentMs = this.silentMs();
    if (Number.isFinite(silentMs)) this.#knownAt = this.#clock.monotonic() - silentMs;
    this.#watch = undefined;
  }

  /** Milliseconds since the view was last known to be current. Infinity: never. */
  silentMs(): number {
    if (this.#knownAt === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#clock.monotonic() - this.#knownAt, this.#watchSilentMs());
  }

  get stale(): boolean {
    return this.silentMs() > (this.#proven ? maxSilentMs : maxTrustedMs);
  }

  #watchSilentMs(): number {
    if (this.#watch === undefined) return Number.POSITIVE_INFINITY;
    const { proof, since } = this.#watch;
    const lastedMs = this.#clock.monotonic() - since;
    if (lastedMs < settleMs) return Number.POSITIVE_INFINITY;
    switch (proof.kind) {
      case 'pinged':
        return proof.silentMs();
      case 'renewed':
        return lastedMs;
      case 'trusted':
        return Number.POSITIVE_INFINITY;
    }
  }
}

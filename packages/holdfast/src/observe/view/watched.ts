import type { Fields } from '@holdfast/base/json';
import type { ResourceName, Selection } from '../../kube/client/client.ts';
import type { Discovery, KindName } from '../../kube/discovery/discovery.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import type { Reflected, Sink } from '../../kube/reflector/sink.ts';
import type { WatchEnd } from '../../kube/stream/watch-reader.ts';
import { sleep } from '../../kube/time/clock.ts';
import type { ViewContext } from '../context.ts';

export interface WatchedOptions<T extends Reflected> {
  readonly context: Pick<ViewContext, 'clients' | 'clock' | 'random' | 'log'>;
  readonly discovery: Pick<Discovery, 'resourceOf'>;
  readonly traits: ServerTraits;
  readonly kind: KindName;
  /** Default: all objects of the cluster. */
  readonly selection?: Selection;
  readonly sink: Sink<T>;
  /** For the resource that was found: which version of the API it is, is known only then. */
  readonly project: (resource: ResourceName) => (object: Fields) => T;
  /** How often to ask for an API that the server does not have yet. */
  readonly recheckMs?: number;
  /** Called when the connection of a watch is found to be dead, though neither side has closed it. */
  readonly foundDead?: () => void;
  /** It could not be found or followed, and is tried again: told of each end that is not an ordinary one. */
  readonly ended?: (end: AbnormalEnd) => void;
}

export type AbnormalEnd = Exclude<WatchEnd, { kind: 'closed' }>;

export interface Following {
  start(): void;
  close(): Promise<void>;
  /** Milliseconds since the view was last known to be current. Zero where the server has no such API. */
  silentMs(): number;
  /** The first list had arrived, and the watch has been silent since for longer than a decision may depend on. */
  readonly stale: boolean;
}

const defaultRecheckMs = 10_000;
/** When to ask again whether the server has the API. Until it answers, Holdfast decides nothing: there may be budgets that it does not know. */
const retryMs = 1_000;

type State<T extends Reflected> =
  | { readonly kind: 'unknown' }
  /** The server has no such API: then there is no such object. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly reflector: Reflector<T> };

/**
 * Follows a kind whose API may be missing, and may be installed or removed while the operator runs. An API that the server does not have has no
 * objects. An API that the server could not be asked about may have some: what was known of them is kept, or budgets would vanish in an outage.
 */
export class Watched<T extends Reflected> implements Following {
  readonly #options: WatchedOptions<T>;
  readonly #stopping = new AbortController();
  #state: State<T> = { kind: 'unknown' };
  #running: Promise<void> | undefined;
  /** Ends the current watch: the server no longer has the API, or the operator stops. */
  #lost: () => void = () => {};

  constructor(options: WatchedOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#lost();
    await this.#running;
  }

  silentMs(): number {
    if (this.#state.kind === 'present') return this.#state.reflector.silentMs();
    return this.#state.kind === 'absent' ? 0 : Number.POSITIVE_INFINITY;
  }

  get stale(): boolean {
    return Number.isFinite(this.silentMs()) && this.#state.kind === 'present' && this.#state.reflector.stale;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options.context;
    const { signal } = this.#stopping;
    const { recheckMs = defaultRecheckMs } = this.#options;
    while (!signal.aborted) {
      await this.#look();
      const waitMs = this.#state.kind === 'absent' ? recheckMs : Math.min(recheckMs, retryMs);
      if (!signal.aborted) await sleep(clock, waitMs, signal);
    }
  }

  async #look(): Promise<void> {
    const { discovery, kind, context } = this.#options;
    const found = await discovery.resourceOf(kind);
    // Closed meanwhile: a watch that begins now would never be told to end.
    if (this.#stopping.signal.aborted) return;
    if (found.ok) return this.#follow(found.value);
    if (found.failure.kind === 'notFound') return this.#noneThere();
    this.#options.ended?.({ kind: 'failed', failure: found.failure });
    context.log.warn('an API could not be discovered', { ...kind, error: found.failure.message });
  }

  #noneThere(): void {
    if (this.#state.kind === 'absent') return;
    this.#state = { kind: 'absent' };
    this.#options.sink.replace([], '0');
  }

  /** Resolves when the server no longer has the API, or the operator stops. */
  async #follow(resource: ResourceName): Promise<void> {
    const { context, traits, selection, sink, project, kind } = this.#options;
    const { clients, clock, random, log } = context;
    const over = new Promise<void>((resolve) => {
      this.#lost = resolve;
    });
    const reflector = new Reflector<T>({
      client: clients.watch,
      resource,
      ...(selection === undefined ? {} : { selection }),
      project: project(resource),
      sink,
      traits,
      clock,
      random,
      report: (end) => {
        log.warn('a watch ended and is restarted', { ...kind, end: describe(end) });
        this.#options.ended?.(end);
        if (end.kind === 'dead') this.#options.foundDead?.();
        if (end.kind === 'failed' && end.failure.kind === 'notFound') this.#lost();
      },
    });
    this.#state = { kind: 'present', reflector };
    reflector.start();
    await over;
    await reflector.stop();
  }
}

function describe(end: AbnormalEnd): string {
  return end.kind === 'failed' ? failureText(end.failure) : `${end.kind}: ${end.message}`;
}

function failureText({ kind, code, message }: Failure): string {
  return code === undefined ? `${kind}: ${message}` : `${kind} (${code}): ${message}`;
}

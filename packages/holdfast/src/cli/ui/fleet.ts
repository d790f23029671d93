import type { KubeReader } from '../../kube/client/reader.ts';
import { sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { ReadSession } from '../../observe/session.ts';
import type { ClusterHead, DataState } from '../../ui/model.ts';
import type { OperatorCheck } from '../status/health.ts';
import { gapNote, hiddenBy } from './overview/head.ts';
import type { ClusterFacts } from './overview/overview.ts';
import { refusalRows } from './overview/refusals.ts';
import { Publisher } from './publisher.ts';
import { ClusterWatch } from './watch/cluster-watch.ts';
import { agentCounts, operatorHead, readOperator } from './watch/live-cluster.ts';

export interface FleetTerms {
  readonly session: ReadSession;
  /** For watches, with a limit of its own. */
  readonly watching: KubeReader;
  readonly random: Random;
  readonly cluster: ClusterHead;
  /** Only this namespace; undefined: all. */
  readonly within: string | undefined;
  readonly operatorNamespace: string | undefined;
  /** Words of a command line that name the same cluster. */
  readonly access: readonly string[];
  readonly report: (problem: string) => void;
}

/** What no watch shows is looked at this often. */
const lookEveryMs = 10_000;
const tickMs = 1_000;
const hourMs = 3_600_000;

/** One cluster as pages see it, kept current until it is closed. */
export class Fleet {
  readonly watch: ClusterWatch;
  readonly publisher: Publisher;
  readonly #terms: FleetTerms;
  readonly #startedAt: number;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  #checks: readonly OperatorCheck[] = [];

  constructor(terms: FleetTerms) {
    const { session, watching: client, random, within, operatorNamespace, report } = terms;
    const { clock } = session;
    this.#terms = terms;
    this.#startedAt = clock.now();
    const changed = () => this.publisher.wake();
    this.watch = new ClusterWatch({ client, clock, random, within, operatorNamespace, changed, report });
    this.publisher = new Publisher({
      overview: this.watch.overview,
      clock,
      around: () => this.#around(),
      report: (error) => report(`the model could not be computed: ${textOf(error)}\n`),
    });
  }

  get session(): ReadSession {
    return this.#terms.session;
  }

  get within(): string | undefined {
    return this.#terms.within;
  }

  get access(): readonly string[] {
    return this.#terms.access;
  }

  start(): void {
    this.watch.start();
    this.#running.push(this.#tick(), this.#lookAtOperator());
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.publisher.close();
    await Promise.all([...this.#running, this.watch.close()]);
  }

  #around(): ClusterFacts {
    const { clock } = this.#terms.session;
    const { watch } = this;
    watch.settle();
    const gaps = watch.rights.gaps();
    const waitingFor = watch.waitingFor();
    return {
      cluster: this.#terms.cluster,
      operator: operatorHead(this.#checks, waitingFor.length > 0 ? undefined : agentCounts(watch)),
      data: this.#dataState(waitingFor),
      isRead: waitingFor.length === 0,
      gaps: gaps.map(gapNote),
      remarks: this.#remarks(),
      recordedSince: this.#startedAt,
      hidden: hiddenBy(gaps),
      refusals: refusalRows(watch.refusals(), clock.now() - hourMs),
    };
  }

  #dataState(waitingFor: readonly string[]): DataState {
    const lost = this.watch.lost();
    if (lost !== undefined) return { kind: 'stale', ...lost };
    return waitingFor.length > 0 ? { kind: 'reading', waitingFor } : { kind: 'live' };
  }

  #remarks(): readonly string[] {
    const { registrations } = this.watch;
    const kruise = registrations.kind === 'known' && registrations.kruise;
    return kruise ? ['PodUnavailableBudgets are left to Kruise, which is registered here, and are not shown'] : [];
  }

  /** Whether the server is heard, and what passes in a moment, shows without any object changing. */
  async #tick(): Promise<void> {
    const { clock } = this.#terms.session;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.watch.overview.again();
      this.publisher.wake();
      await sleep(clock, tickMs, signal);
    }
  }

  async #lookAtOperator(): Promise<void> {
    const { session, within } = this.#terms;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let waitMs = lookEveryMs;
      try {
        this.#checks = await readOperator(this.watch, session, within);
      } catch {
        // The server cannot be reached, which the watches tell.
        waitMs = tickMs;
      }
      if (this.publisher.model.head.data.kind === 'reading') waitMs = tickMs;
      this.publisher.wake();
      await sleep(session.clock, waitMs, signal);
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

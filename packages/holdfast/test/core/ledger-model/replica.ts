import { anOwner, ns } from '../../../../../test/support/builders.ts';
import type { DecideOptions } from '../../../src/core/decide/decide.ts';
import { decideBatch } from '../../../src/core/ledger/batch.ts';
import { type NotesSeen, prune, type ReleaseReason, withdraw } from '../../../src/core/ledger/prune.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import { collections } from '../../../src/core/sync.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { World } from '../../../src/core/world/world.ts';
import type { ApiServer } from './api-server.ts';
import type { Budgets } from './setup.ts';

/** A request with the time at which its client began to wait. */
interface Asked {
  readonly request: DisruptionRequest;
  readonly askedAt: number;
}

export interface Answer extends Asked {
  readonly verdict: Verdict;
}

export type Write =
  | { readonly kind: 'withdraw'; readonly ledger: ApiServer['ledger']; readonly uid: string }
  | { readonly kind: 'batch'; readonly answers: readonly Answer[]; readonly ledger: ApiServer['ledger'] | undefined }
  | {
      readonly kind: 'prune';
      readonly ledger: ApiServer['ledger'];
      readonly released: readonly { uid: string; why: ReleaseReason }[];
    };

/** One operator replica: a view of the pods that lags, a copy of the ledger that may be old, and a clock of its own. */
export class Replica {
  world = new World();
  /** How many of the server's pod events its view has. */
  seen = 0;
  /** How many changes of budgets it has seen. */
  #budgetsSeen = 0;
  /** Requests that wait for the next batch. */
  pending: Asked[] = [];
  /** A write that was decided and not yet sent. */
  write: Write | undefined;
  readonly skew: number;
  #seen: NotesSeen = new Map();
  readonly #server: ApiServer;
  readonly #identity: string;
  readonly #budgets: Budgets;
  readonly #options: DecideOptions;

  constructor(server: ApiServer, budgets: Budgets, skew: number, options: DecideOptions = {}) {
    this.#options = options;
    this.#server = server;
    this.#identity = `replica-${skew}`;
    this.#budgets = budgets;
    this.skew = skew;
    this.restart();
  }

  /** What a crash leaves: nothing. A new process lists everything and reads the ledger. */
  restart(): void {
    this.world = new World();
    this.seen = 0;
    this.pending = [];
    this.write = undefined;
    this.#seen = new Map();
    for (const collection of collections) this.world.setSynced(collection, '100');
    this.world.setNamespace({ metadata: { name: ns } });
    this.world.setOwner(anOwner('LeaderWorkerSet', 'llm', this.#budgets.groups));
    for (const pdb of this.#budgets.pdbs) this.world.upsertPdb(pdb);
    for (const pub of this.#budgets.pubs) this.world.upsertPub(pub);
    this.#budgetsSeen = 0;
    this.watchBudgets(Number.POSITIVE_INFINITY);
    this.readLedger();
    this.watch(Number.POSITIVE_INFINITY);
    // A list is as new as the server, which may be newer than any pod.
    this.world.setSynced('pods', String(this.#server.version));
  }

  /** The watch brings some more events. */
  watch(count: number): void {
    const { events } = this.#server;
    const until = Math.min(events.length, this.seen + count);
    for (; this.seen < until; this.seen += 1) {
      const event = events[this.seen];
      if (event === undefined) break;
      if (event.type === 'set') this.world.upsertPod(event.pod);
      else this.world.deletePod(ns, event.pod.metadata.name);
      this.world.setSynced('pods', String(event.version));
    }
  }

  /** The watches of budgets bring some more changes: not in step with those of pods. */
  watchBudgets(count: number): void {
    const { budgetChanges } = this.#server;
    const until = Math.min(budgetChanges.length, this.#budgetsSeen + count);
    for (; this.#budgetsSeen < until; this.#budgetsSeen += 1) budgetChanges[this.#budgetsSeen]?.(this.world);
  }

  /** A bookmark: the view is as new as everything. */
  bookmark(): void {
    this.watch(Number.POSITIVE_INFINITY);
    this.world.setUnchanged('pods', String(this.#server.version));
  }

  readLedger(): void {
    this.world.setLedger(ns, this.#server.ledger);
  }

  judge(now: number): void {
    if (this.write !== undefined || this.pending.length === 0) return;
    const asked = this.pending;
    this.pending = [];
    const requests = asked.map((one) => one.request);
    const outcome = decideBatch(this.world, ns, requests, now + this.skew, this.#options);
    const answers = asked.map((one, i) => ({ ...one, verdict: outcome.verdicts[i] as Verdict }));
    if (outcome.confirm && this.#isOutdated()) {
      // The answer would rest on a ledger that is no more: read it, and ask again.
      this.readLedger();
      this.pending = asked;
      return;
    }
    this.write = { kind: 'batch', answers, ledger: outcome.ledger };
  }

  prune(now: number): void {
    if (this.write !== undefined) return;
    const options = { identity: this.#identity, uptime: now, seen: this.#seen };
    const first = prune(this.world, ns, now + this.skew, options);
    const ledgerVersion = this.world.namespace(ns)?.ledger?.metadata.resourceVersion ?? '';
    const pods = { version: String(this.#server.version), ledgerVersion };
    const outcome = first.needsPods ? prune(this.world, ns, now + this.skew, { ...options, pods }) : first;
    this.#seen = outcome.seen;
    if (outcome.ledger === undefined) return;
    const released = outcome.released.map(({ reservation, why }) => ({ uid: reservation.uid, why }));
    this.write = { kind: 'prune', ledger: outcome.ledger, released };
  }

  /** Takes back what was reserved for a request that it then stopped. */
  withdraw(claim: string, uid: string): void {
    const known = this.world.namespace(ns)?.ledger;
    const ledger = known === undefined ? undefined : withdraw(known, new Set([claim]));
    if (this.write === undefined && ledger !== undefined) this.write = { kind: 'withdraw', ledger, uid };
  }

  #isOutdated(): boolean {
    const mine = this.world.namespace(ns)?.ledger?.metadata.resourceVersion;
    return mine !== this.#server.ledger.metadata.resourceVersion;
  }
}

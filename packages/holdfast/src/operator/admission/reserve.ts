import type { DisruptionLedger } from '../../api/ledger.ts';
import { agree, counted } from '../../api/wording.ts';
import type { DecideOptions } from '../../core/decide/decide.ts';
import { type BatchOutcome, decideBatch } from '../../core/ledger/batch.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import { ledgerBusy } from './answers.ts';
import { type Deadline, pause } from './deadline.ts';
import type { LedgerAccess, LedgerEvents } from './ledger.ts';
import { type AdmissionLimits, pauseAfter } from './limits.ts';

export interface ReserveDeps {
  readonly world: World;
  readonly access: LedgerAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: AdmissionLimits;
  readonly events: LedgerEvents;
  /** One writer of a ledger at a time in this process: shared with the pruner and the withdrawals. */
  readonly mutex: NamespaceMutex;
  readonly options: (namespace: string) => DecideOptions;
}

/**
 * Group commit, one namespace at a time: requests that arrive while the ledger is being written wait, and share the next write.
 *
 *   request -> WaitingLine -> NamespaceMutex -> [ read ] -> decide all together -> compare-and-swap -> verdicts
 *                                                  ^                                     |
 *                                                  +-- lost the race: read, decide again +    at most `maxAttempts` times
 */
export class GroupCommit {
  readonly #deps: ReserveDeps;
  readonly #lines = new Map<string, WaitingLine>();

  constructor(deps: ReserveDeps) {
    this.#deps = deps;
  }

  /** Always answered: at the latest when the deadline is over. */
  reserve(request: DisruptionRequest, deadline: Deadline): Promise<Reserved> {
    const { namespace, pod } = request;
    const line = this.#line(namespace);
    const waiting = new WaitingRequest(request, deadline);
    if (line.size >= this.#deps.limits.maxWaiting) {
      waiting.settle({
        verdict: ledgerBusy(
          pod,
          `${counted(line.size, 'request')} already ${agree(line.size, 'waits', 'wait')} for the ledger`,
        ),
        reserved: false,
      });
      return waiting.answer;
    }
    line.add(waiting);
    const unsubscribe = deadline.onEnd(() => {
      line.remove(waiting);
      waiting.settle({
        verdict: ledgerBusy(pod, 'the ledger could not be written before the deadline of the request'),
        reserved: false,
      });
    });
    this.#wake(namespace, line);
    return waiting.answer.finally(unsubscribe);
  }

  #line(namespace: string): WaitingLine {
    let line = this.#lines.get(namespace);
    if (line === undefined) {
      line = new WaitingLine();
      this.#lines.set(namespace, line);
    }
    return line;
  }

  #wake(namespace: string, line: WaitingLine): void {
    if (line.busy) return;
    line.busy = true;
    void this.#deps.mutex
      .take(namespace, () => commitBatch(this.#deps, namespace, line))
      .then(() => {
        line.busy = false;
        if (line.size > 0) this.#wake(namespace, line);
        else this.#lines.delete(namespace);
      });
  }
}

type Batch = readonly WaitingRequest[];

type Step =
  | { readonly kind: 'answered'; readonly batch: Batch; readonly verdicts: readonly Verdict[] }
  | { readonly kind: 'again'; readonly why: string; readonly pause: boolean };

const again = (why: string): Step => ({ kind: 'again', why, pause: true });

/**
 * Decides what waits in a line together, and writes its reservations with one compare-and-swap (L1). After a lost race the whole
 * batch is decided again from the ledger as it is then, together with the requests that have arrived meanwhile. Every request that
 * it takes is answered, whatever happens.
 */
async function commitBatch(deps: ReserveDeps, namespace: string, line: WaitingLine): Promise<void> {
  const { access, limits, clock, random } = deps;
  let batch: Batch = [];
  let why = '';
  for (let attempt = 1; attempt <= limits.maxAttempts; attempt += 1) {
    const left = stillWaiting(batch);
    batch = [...left, ...line.take(limits.maxBatch - left.length)];
    if (batch.length === 0) return;
    // The read comes after the batch is made up: so what it shows is no older than any request in it (L6).
    const readFirst = attempt > 1 || access.version(namespace) === undefined;
    const step = await tryOnce(deps, namespace, batch, readFirst).catch((error: unknown) => again(String(error)));
    if (step.kind === 'answered') return answer(deps, namespace, step.batch, step.verdicts, attempt);
    why = step.why;
    if (step.pause && attempt < limits.maxAttempts) await pause(clock, pauseAfter(attempt, limits, random()));
  }
  for (const waiting of batch) {
    const detail = `the ledger could not be written in ${counted(limits.maxAttempts, 'attempt')}; the last one failed because ${why}`;
    waiting.settle({ verdict: ledgerBusy(waiting.request.pod, detail), reserved: false });
  }
}

function stillWaiting(batch: Batch): Batch {
  return batch.filter((waiting) => !waiting.answered);
}

/** A read is made for all of a batch: it may take as long as the request with the most time left. */
function leftMs(batch: Batch): number {
  return batch.reduce((most, { deadline }) => Math.max(most, deadline.leftMs), 0);
}

async function tryOnce(deps: ReserveDeps, namespace: string, asked: Batch, readFirst: boolean): Promise<Step> {
  if (readFirst) {
    const problem = await read(deps.access, namespace, leftMs(asked));
    if (problem !== undefined) return again(problem);
  }
  // What a request asked for that is over meanwhile is not written any more.
  const batch = stillWaiting(asked);
  const decidedBy = deps.access.version(namespace);
  const { verdicts, ledger, released, confirm } = decideTogether(deps, namespace, batch);
  const answered: Step = { kind: 'answered', batch, verdicts };
  if (ledger !== undefined) return write(deps, namespace, ledger, released, answered);
  if (!confirm || readFirst) return answered;
  const now = await deps.access.read(namespace, leftMs(batch));
  if (now.kind === 'failed') return again(`it could not be read: ${now.message}`);
  const same = now.kind === 'found' && now.ledger.metadata.resourceVersion === decidedBy;
  return same ? answered : { kind: 'again', why: 'it had changed', pause: false };
}

async function read(access: LedgerAccess, namespace: string, left: number): Promise<string | undefined> {
  const answer = await access.read(namespace, left);
  if (answer.kind === 'failed') return `it could not be read: ${answer.message}`;
  return answer.kind === 'missing' ? access.restore(namespace) : undefined;
}

function decideTogether({ world, clock, options }: ReserveDeps, namespace: string, batch: Batch): BatchOutcome {
  const requests = batch.map((waiting) => waiting.request);
  try {
    return decideBatch(world, namespace, requests, clock.now(), options(namespace));
  } catch (error) {
    // What the batch had reserved in memory only is taken back.
    const ledger = world.namespace(namespace)?.ledger;
    if (ledger !== undefined) world.setLedger(namespace, ledger);
    throw error;
  }
}

async function write(
  { access, events }: ReserveDeps,
  namespace: string,
  ledger: DisruptionLedger,
  released: BatchOutcome['released'],
  answered: Extract<Step, { readonly kind: 'answered' }>,
): Promise<Step> {
  const written = await access.write(namespace, ledger, 'batch');
  switch (written.kind) {
    case 'stored':
      for (const { reservation, why } of released) events.released?.(namespace, reservation, why);
      return answered;
    case 'conflict':
      return again('another replica wrote first');
    case 'missing':
      return again('it had been deleted');
    case 'failed':
      // It may have been written: then the next read shows the reservations, and the firm ones answer their requests (I5).
      return again(`it could not be written: ${written.message}`);
  }
}

/**
 * Some requests may be over while the write was under way. Their reservations stay. A client that asks again is let through by one, or
 * decided again if it was made on a condition; if none does, the pruner releases it after its limit, when the pod is seen alive (I9).
 */
function answer(
  { events }: ReserveDeps,
  namespace: string,
  batch: Batch,
  verdicts: readonly Verdict[],
  attempts: number,
): void {
  let count = 0;
  batch.forEach((waiting, i) => {
    const verdict = verdicts[i] ?? ledgerBusy(waiting.request.pod, 'the decision failed');
    const reserved = verdict.result === 'allow' && verdict.effects.reserve !== undefined;
    if (reserved) count += 1;
    const heard = waiting.settle({ verdict, reserved });
    if (reserved && !heard) events.abandoned?.(namespace, waiting.request.pod);
  });
  if (batch.length > 0) events.batch?.(namespace, batch.length, count, attempts);
}

export interface Reserved {
  readonly verdict: Verdict;
  /** The ledger has a reservation now that was written for this request. */
  readonly reserved: boolean;
}

/** One request that waits for its answer, or has stopped waiting. */
export class WaitingRequest {
  readonly request: DisruptionRequest;
  readonly deadline: Deadline;
  readonly answer: Promise<Reserved>;
  #resolve: (reserved: Reserved) => void = () => {};
  #answered = false;

  constructor(request: DisruptionRequest, deadline: Deadline) {
    this.request = request;
    this.deadline = deadline;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** False: it was answered before, and this answer is dropped. */
  settle(reserved: Reserved): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.#resolve(reserved);
    return true;
  }
}

/** The requests of one namespace that wait for the next write, in the order in which they arrived. */
export class WaitingLine {
  readonly #waiting = new Set<WaitingRequest>();
  /** A batch is about to be taken from it, or is being written. */
  busy = false;

  get size(): number {
    return this.#waiting.size;
  }

  add(request: WaitingRequest): void {
    this.#waiting.add(request);
  }

  remove(request: WaitingRequest): void {
    this.#waiting.delete(request);
  }

  take(room: number): WaitingRequest[] {
    const taken: WaitingRequest[] = [];
    for (const request of this.#waiting) {
      if (taken.length >= room) break;
      taken.push(request);
    }
    for (const request of taken) this.#waiting.delete(request);
    return taken;
  }
}

/**
 * One task at a time for each namespace: a batch and a pruning that wrote at once would only lose races to each other. A task begins
 * after those before it, and never in the same tick, so that requests which arrive together share one.
 */
export class NamespaceMutex {
  readonly #last = new Map<string, Promise<void>>();
  readonly #failed: (namespace: string, error: unknown) => void;

  constructor(failed: (namespace: string, error: unknown) => void) {
    this.#failed = failed;
  }

  /** Resolves when the task has ended, also when it threw: a rejection would stop every later task of the namespace. */
  take(namespace: string, task: () => Promise<void>): Promise<void> {
    const before = this.#last.get(namespace) ?? Promise.resolve();
    const done = before
      .then(task)
      .catch((error: unknown) => this.#failed(namespace, error))
      .finally(() => {
        if (this.#last.get(namespace) === done) this.#last.delete(namespace);
      });
    this.#last.set(namespace, done);
    return done;
  }
}

import type { DisruptionRequest } from '../../core/request.ts';
import { type Committed, Entry, Lane } from './lane.ts';
import { ledgerBusy } from './refusals.ts';
import { type CommitParts, commitBatch } from './reserve.ts';
import type { Turns } from './turns.ts';

/** Group commit: requests that arrive while their namespace's ledger is being written wait, and share the next write. */
export class CommitQueue {
  readonly #parts: CommitParts;
  readonly #turns: Turns;
  readonly #lanes = new Map<string, Lane>();

  constructor(parts: CommitParts, turns: Turns) {
    this.#parts = parts;
    this.#turns = turns;
  }

  /** Always answered: at the latest when the signal comes. */
  commit(request: DisruptionRequest, signal: AbortSignal): Promise<Committed> {
    const { namespace, pod } = request;
    const lane = this.#lane(namespace);
    const entry = new Entry(request);
    if (lane.size >= this.#parts.limits.maxWaiting) {
      entry.settle({ verdict: ledgerBusy(pod, `${lane.size} requests wait for the ledger already`), reserved: false });
      return entry.answer;
    }
    lane.add(entry);
    const giveUp = () => {
      lane.remove(entry);
      entry.settle({ verdict: ledgerBusy(pod, 'the ledger could not be written in time'), reserved: false });
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    this.#wake(namespace, lane);
    return entry.answer.finally(() => signal.removeEventListener('abort', giveUp));
  }

  #lane(namespace: string): Lane {
    let lane = this.#lanes.get(namespace);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(namespace, lane);
    }
    return lane;
  }

  #wake(namespace: string, lane: Lane): void {
    if (lane.busy) return;
    lane.busy = true;
    void this.#turns
      .take(namespace, () => commitBatch(this.#parts, namespace, lane))
      .then(() => {
        lane.busy = false;
        if (lane.size > 0) this.#wake(namespace, lane);
        else this.#lanes.delete(namespace);
      });
  }
}

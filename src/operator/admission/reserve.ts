import type { DisruptionLedger } from '../../api/ledger.ts';
import type { DecideOptions } from '../../core/decide/decide.ts';
import { type BatchOutcome, judgeBatch } from '../../core/ledger/batch.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Entry, Lane } from './lane.ts';
import type { LedgerAccess } from './ledger.ts';
import { type LedgerLimits, pauseAfter } from './limits.ts';
import { pause } from './patience.ts';
import type { LedgerEvents, Random } from './ports.ts';
import { ledgerBusy } from './refusals.ts';

export interface CommitParts {
  readonly world: World;
  readonly access: LedgerAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: LedgerLimits;
  readonly events: LedgerEvents;
  readonly options: (namespace: string) => DecideOptions;
}

type Step =
  | { readonly kind: 'answered'; readonly verdicts: readonly Verdict[] }
  | { readonly kind: 'again'; readonly why: string; readonly pause: boolean };

const again = (why: string): Step => ({ kind: 'again', why, pause: true });

/**
 * Judges what waits in a lane together, and writes its reservations with one compare-and-swap (L1). After a lost race the whole
 * batch is judged again from the ledger as it is then, together with whoever has come meanwhile. Every entry that it takes is
 * answered, whatever happens.
 */
export async function commitBatch(parts: CommitParts, namespace: string, lane: Lane): Promise<void> {
  const { access, limits, clock, random } = parts;
  let batch: Entry[] = [];
  let why = '';
  for (let attempt = 1; attempt <= limits.maxAttempts; attempt += 1) {
    const left = batch.filter((entry) => !entry.answered);
    batch = [...left, ...lane.take(limits.maxBatch - left.length)];
    if (batch.length === 0) return;
    // The read comes after the batch is made up: so what it shows is no older than any request in it (L6).
    const readFirst = attempt > 1 || access.version(namespace) === undefined;
    const step = await tryOnce(parts, namespace, batch, readFirst).catch((error: unknown) => again(String(error)));
    if (step.kind === 'answered') return answer(parts, namespace, batch, step.verdicts, attempt);
    why = step.why;
    if (step.pause && attempt < limits.maxAttempts) await pause(clock, pauseAfter(attempt, limits, random()));
  }
  for (const entry of batch) {
    const detail = `the ledger could not be written in ${limits.maxAttempts} attempts; the last time ${why}`;
    entry.settle({ verdict: ledgerBusy(entry.request.pod, detail), reserved: false });
  }
}

async function tryOnce(
  parts: CommitParts,
  namespace: string,
  batch: readonly Entry[],
  readFirst: boolean,
): Promise<Step> {
  if (readFirst) {
    const problem = await read(parts.access, namespace);
    if (problem !== undefined) return again(problem);
  }
  const judgedBy = parts.access.version(namespace);
  const { verdicts, ledger, released, confirm } = judge(parts, namespace, batch);
  if (ledger !== undefined) return write(parts, namespace, ledger, released, verdicts);
  if (!confirm || readFirst) return { kind: 'answered', verdicts };
  const now = await parts.access.read(namespace);
  if (now.kind === 'failed') return again(`it could not be read: ${now.message}`);
  const same = now.kind === 'found' && now.ledger.metadata.resourceVersion === judgedBy;
  if (same) return { kind: 'answered', verdicts };
  return { kind: 'again', why: 'it had changed', pause: false };
}

async function read(access: LedgerAccess, namespace: string): Promise<string | undefined> {
  const answer = await access.read(namespace);
  if (answer.kind === 'failed') return `it could not be read: ${answer.message}`;
  return answer.kind === 'missing' ? restore(access, namespace) : undefined;
}

/** What a ledger held that somebody deleted must be there for other replicas, too, before anything is judged by it. */
async function restore(access: LedgerAccess, namespace: string): Promise<string | undefined> {
  const ledger = access.assume(namespace);
  if (ledger.spec?.reservations?.length === 0) return undefined;
  const created = await access.write(namespace, ledger, 'create');
  if (created.kind === 'stored') return undefined;
  if (created.kind === 'conflict') return 'somebody else created it';
  return `it could not be created: ${created.kind === 'failed' ? created.message : 'there is no such namespace'}`;
}

function judge({ world, clock, options }: CommitParts, namespace: string, batch: readonly Entry[]): BatchOutcome {
  const requests = batch.map((entry) => entry.request);
  try {
    return judgeBatch(world, namespace, requests, clock.now(), options(namespace));
  } catch (error) {
    // What the batch had reserved in the mind only is taken back.
    const ledger = world.namespace(namespace)?.ledger;
    if (ledger !== undefined) world.setLedger(namespace, ledger);
    throw error;
  }
}

async function write(
  { access, events }: CommitParts,
  namespace: string,
  ledger: DisruptionLedger,
  released: BatchOutcome['released'],
  verdicts: readonly Verdict[],
): Promise<Step> {
  const written = await access.write(namespace, ledger, 'batch');
  switch (written.kind) {
    case 'stored':
      for (const { reservation, why } of released) events.released?.(namespace, reservation, why);
      return { kind: 'answered', verdicts };
    case 'conflict':
      return again('somebody else wrote first');
    case 'missing':
      return again('it was gone');
    case 'failed':
      // It may have been written: then the next read shows the reservations, and the firm ones answer their requests (I5).
      return again(`it could not be written: ${written.message}`);
  }
}

/**
 * Some may have stopped waiting while the write was under way. Their reservations stay: another replica may have answered a
 * repeated request by one already, so nobody may take it back. Whoever asks again is let through by it, or judged anew if it was
 * made on a condition; if nobody does, the pruner releases it after its limit, when the pod is seen alive (I9).
 */
function answer(
  { events }: CommitParts,
  namespace: string,
  batch: readonly Entry[],
  verdicts: readonly Verdict[],
  attempts: number,
): void {
  let count = 0;
  batch.forEach((entry, i) => {
    const verdict = verdicts[i] ?? ledgerBusy(entry.request.pod, 'it was not judged');
    const reserved = verdict.result === 'allow' && verdict.effects.reserve !== undefined;
    if (reserved) count += 1;
    const heard = entry.settle({ verdict, reserved });
    if (reserved && !heard) events.abandoned?.(namespace, entry.request.pod);
  });
  events.batch?.(namespace, batch.length, count, attempts);
}

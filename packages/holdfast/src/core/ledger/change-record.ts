import { type ChangeRecord, maxRestarts, type Reservation } from '../../api/ledger.ts';
import type { ContainerRun } from '../container-runs.ts';

/** A change of a pod as admission sees it: what it does, and the pod that it is asked for. */
export interface RequestedChange {
  readonly resourceVersion: string;
  readonly generation: number;
  readonly runs: readonly ContainerRun[];
  /** `membership`: labels and owners alone. `unknown`: it takes the pod away in a way that its status will not show. */
  readonly kind: 'spec' | 'membership' | 'announcement' | 'unknown';
  /** The containers that it restarts. */
  readonly restarts: readonly string[];
}

/** A container that has to be restarted, from the run that it was seen in. */
export interface PendingRestart {
  readonly name: string;
  readonly id: string;
  readonly restartCount: number;
  /**
   * A kubelet carries out one spec after the other, and may leave out those that were replaced before it looked. So after two
   * changes, one restart may be that of the first.
   */
  readonly changes: number;
  /** What that run was asked for; empty: not known. When the spec asks for it again, the change was taken back. */
  readonly demand: string;
}

/** What a reservation records of a change, together with what is left of the one that the pod is reserved for already. */
export function recordChange(change: RequestedChange, reserved?: Reservation): ChangeRecord {
  const before = reserved?.change;
  const left = before === undefined ? [] : pendingRestarts(before).filter((one) => isPending(one, change));
  const restarts = [
    ...left.filter(({ name }) => !change.restarts.includes(name)),
    ...change.restarts.map((name) => restartOf(name, change, left, reserved?.generation)),
  ];
  const isSpec = change.kind === 'spec';
  const announced = change.kind === 'announcement' || (before?.announced === true && !isSpec);
  const open = change.kind === 'unknown' || before?.open === true || restarts.length > maxRestarts;
  return {
    from: change.resourceVersion,
    ...(isSpec || before?.restarts !== undefined ? { restarts: restarts.slice(0, maxRestarts).map(encode) } : {}),
    ...(announced ? { announced } : {}),
    ...(open ? { open } : {}),
  };
}

export function pendingRestarts({ restarts = [] }: ChangeRecord): readonly PendingRestart[] {
  return restarts.map((text) => {
    const [name = '', id = '', restartCount, changes, demand = ''] = text.split(' ');
    return { name, id, restartCount: Number(restartCount), changes: Number(changes), demand };
  });
}

function encode({ name, id, restartCount, changes, demand }: PendingRestart): string {
  return `${name} ${id} ${restartCount} ${changes} ${demand}`;
}

/** How many restarts lie between a run and a later one. */
export function restartsBetween(before: Pick<ContainerRun, 'id' | 'restartCount'>, now: ContainerRun): number {
  return Math.max(now.restartCount - before.restartCount, now.id === before.id ? 0 : 1);
}

/** Not shown to be done by the pod that a new change is asked for. A container that does not run starts with the newest spec. */
function isPending(restart: PendingRestart, { runs }: RequestedChange): boolean {
  const run = runs.find(({ name }) => name === restart.name);
  return run === undefined || (run.started && restartsBetween(restart, run) < restart.changes);
}

function restartOf(
  name: string,
  { runs, generation }: RequestedChange,
  left: readonly PendingRestart[],
  reservedGeneration: number | undefined,
): PendingRestart {
  const pending = left.find((one) => one.name === name);
  const run = runs.find((one) => one.name === name);
  const { id = '', restartCount = 0, demand = '' } = run ?? {};
  if (pending === undefined || run === undefined) return { name, id, restartCount, changes: 1, demand };
  // Nothing was stored in between: of the two changes only one can be.
  if (generation === reservedGeneration && demand === pending.demand) return pending;
  const done = restartsBetween(pending, run);
  return { name, id, restartCount, changes: 1 + pending.changes - done, demand: done === 0 ? pending.demand : '' };
}

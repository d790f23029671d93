import { verdictOf } from '../../packages/holdfast/src/agent/verdict.ts';
import type { StatefulSet } from '../../packages/holdfast/src/api/statefulset.ts';
import { decide } from '../../packages/holdfast/src/core/decide/decide.ts';
import type { DisruptionRequest } from '../../packages/holdfast/src/core/request.ts';
import type { EventNote } from '../../packages/holdfast/src/kube/events/recorder.ts';
import { notesOf } from '../../packages/holdfast/src/operator/admission/decisions.ts';
import { unprovenCalls } from '../../packages/holdfast/src/operator/admission/wire/unproven-calls.ts';
import { blockedNotes, removalNotes } from '../../packages/holdfast/src/operator/rollout/rollout-notes.ts';
import { aWorld } from '../../test/support/a-world.ts';
import { aGroupPdb, anOwner, ns } from '../../test/support/builders.ts';
import { lwsPods } from '../../test/support/fleet.ts';

/** The events of the operator, from what it would have done in a small world. */
export function operatorEvents(): readonly EventNote[] {
  return unique([...disruptionNotes(3), ...disruptionNotes(2), ...rolloutNotes(), ...callNotes()]);
}

function disruptionNotes(replicas: number): readonly EventNote[] {
  const owners = [anOwner('LeaderWorkerSet', 'llm', replicas)];
  const pdbs = [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 2 })];
  const world = aWorld({ pods: lwsPods('llm', replicas, 2), owners, pdbs });
  const request: DisruptionRequest = { operation: 'EVICT', namespace: ns, pod: 'llm-0-0' };
  const uids = { pod: () => undefined, budget: () => undefined };
  const verdict = decide(world, request, 0);
  return (['enforce', 'observe'] as const).flatMap((mode) => notesOf({ request, verdict, mode }, uids));
}

function rolloutNotes(): readonly EventNote[] {
  const set: StatefulSet = { metadata: { name: 'db', namespace: ns } };
  const removal = { pod: 'db-1', ordinal: 1, uid: 'u', resourceVersion: '1' };
  const replacing = { kind: 'replacing', pod: 'db-1', from: 'db-old', to: 'db-new' } as const;
  const condemned = { kind: 'removing', pod: 'db-1', behind: 'db-0' } as const;
  const stuck = { kind: 'blocked', why: 'brokenOnUpdateRevision', pod: 'db-1', revision: 'db-new' } as const;
  return [
    ...removalNotes(set, { ...removal, why: 'broken' }, replacing),
    ...removalNotes(set, { ...removal, why: 'condemned' }, { kind: 'idle', why: 'upToDate', condemned }),
    ...blockedNotes(set, stuck),
  ];
}

function callNotes(): readonly EventNote[] {
  const notes: EventNote[] = [];
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => log };
  const tell = unprovenCalls({
    recorder: { record: (note) => void notes.push(note) },
    log,
    clock: { monotonic: () => 0, after: () => ({ cancel: quiet }) },
    namespace: 'holdfast-system',
  });
  tell('path', '10.0.0.9');
  return notes;
}

/** The same message on a pod and on its set is one text. */
function unique(notes: readonly EventNote[]): readonly EventNote[] {
  return [...new Map(notes.map((note) => [`${note.subject.kind} ${note.reason} ${note.message}`, note])).values()];
}

/** The condition Disruptable of a pod, as an agent writes it. */
export function probeVerdicts(): ReturnType<typeof verdictOf>[] {
  const tally = (disruptable: boolean | undefined, output = '') => ({
    disruptable,
    output,
    last: disruptable,
    inARow: 1,
  });
  const found = (one: ReturnType<typeof tally> | undefined, overdue = false) =>
    verdictOf([{ container: 'main', tally: one, overdue }]);
  return [
    found(tally(true)),
    found(tally(false, 'HTTP status 500')),
    found(tally(undefined)),
    found(tally(true), true),
    found(undefined),
  ];
}

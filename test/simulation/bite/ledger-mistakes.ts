import { batch, decide, evaluation, type Mistake, one, prune, shards, singles } from './mistake.ts';

/** The sixteen ways to get the ledger wrong that its model is tried with, too. */
export const ledgerMistakes: readonly Mistake[] = [
  {
    name: 'a conditional reservation answers repeated requests',
    stories: [...singles, ...shards],
    edits: [
      {
        file: decide,
        find: 'if (reserved.conditional === true || reserved.overdue !== undefined) return false;',
        replace: 'if (reserved.overdue !== undefined) return false;',
      },
      {
        file: batch,
        find: 'if (conditional) return { ...firm, ...made, conditional };',
        replace: 'if (conditional) return { ...wanted, ...made, conditional };',
      },
    ],
  },
  one(
    'a request takes back the reservation of its pod although another request had one before',
    batch,
    'const isOwn = before === undefined || before.claim === claim;',
    'const isOwn = true;',
  ),
  one(
    'a replica whose view is older than the watermark judges all the same',
    'core/decide/gates.ts',
    'if (isAtLeast(seen, watermark)) return undefined;',
    'if (seen !== undefined) return undefined;',
  ),
  one(
    'a batch takes out what was seen to go, and leaves the watermark as it was',
    batch,
    'rewrite(state.ledger, kept, watermark)',
    'rewrite(state.ledger, kept)',
  ),
  one(
    "the leader's watermark is left out when what was released was gone",
    prune,
    "released.length > 0 ? world.changedVersion('pods') : undefined;",
    "released.some(({ why }) => why !== 'gone') ? world.changedVersion('pods') : undefined;",
  ),
  one(
    'reservations are never marked conditional',
    batch,
    'const conditional = onlyIf !== undefined || restsOn !== undefined;',
    'const conditional = false;',
  ),
  one(
    'a group that only looks down is taken apart for nothing',
    decide,
    'const restsOn = othersDown(pod, down);',
    'const restsOn = othersDown(pod, []);',
    shards,
  ),
  one(
    'a conditional reservation is closed as soon as it is seen',
    prune,
    'if (reservation.conditional === true) return beginWaiting(view);',
    `if (reservation.conditional === true)
    return close({ phase: 'waiting', by: view.identity, since: new Date(view.now).toISOString() }, view);`,
  ),
  one(
    'a unit that only a conditional reservation brings down is free for its other pods',
    evaluation,
    'const healthy = unit.healthy + unit.unproven;',
    'const healthy = unit.healthy;',
    shards,
  ),
  one(
    'what a verdict rests on leaves out the conditional pods of the unit',
    'core/decide/judges.ts',
    'const left = group.members.filter(group.counts);',
    'const left = group.members.filter((one) => one.counted);',
    shards,
  ),
  one(
    'a reservation is released without waiting for requests under way',
    prune,
    'const left = seenAt + view.limits.inFlightSeconds * 1000 - view.uptime;',
    'const left = 0;',
  ),
  one(
    'a Pending pod passes without being reserved',
    decide,
    "return pass('Pending', { ...reserving(state, pod, request, undefined), ...completed, onlyIf });",
    "return pass('Pending', { ...completed, onlyIf });",
  ),
  {
    name: 'a reservation past its limit still answers repeated requests',
    stories: [...singles, ...shards],
    edits: [
      {
        file: decide,
        find: 'if (reserved.conditional === true || reserved.overdue !== undefined) return false;',
        replace: 'if (reserved.conditional === true) return false;',
      },
      {
        file: prune,
        find: 'function noted({ judgedBy: _, claim, ...reservation }: Reservation,',
        replace: 'function noted({ claim, ...reservation }: Reservation,',
      },
    ],
  },
  one(
    'a repeated request is answered from an old copy of the ledger',
    batch,
    'return { verdicts, released: [], confirm };',
    'return { verdicts, released: [], confirm: false };',
  ),
  one(
    'a reservation is released by any view, not only by one that is newer',
    prune,
    'const newer = isAtLeast(view.version, overdue.podsVersion);',
    'const newer = true;',
  ),
  one(
    'conditional pods make others of their unit surplus',
    evaluation,
    "if (unit.healthy - Number(target.healthy) >= enough) return { kind: 'surplus' };",
    "if (unit.healthy + unit.unproven - Number(target.healthy) >= enough) return { kind: 'surplus' };",
    shards,
  ),
];

import { compareStrings } from '../compare.ts';
import { bit } from '../health.ts';
import type { PodVersion } from '../verdict.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { Judge } from './judges.ts';

/**
 * What a verdict rests on that a view may not know yet (N5). A view lags: a pod that looks down may have come up since. Taking
 * a pod from a unit that only looks down would break a serving one for nothing, so the verdict names the versions it believes.
 */

export function versionOf(pod: PodRecord): PodVersion {
  return { pod: pod.name, uid: pod.uid, resourceVersion: pod.resourceVersion };
}

/** Healthy for every budget that judges: then a unit that is down is down because of other pods. */
export function servesEverybody(pod: PodRecord, judges: readonly Judge[]): boolean {
  return judges.every((judge) => serves(pod, judge));
}

/** A group is down because of pods that do not serve: one that serves and says no does not keep it down (H5). */
function serves(pod: PodRecord, judge: Judge): boolean {
  if (judge.kind === 'pub') return judge.pub.unitOf(pod) === undefined ? pod.healthyForPub : pod.servesForPub;
  if (judge.kind === 'pdbGroup') return pod.serves;
  return judge.kind === 'pdbPlain' ? pod.has(bit.ready) : pod.healthy;
}

/** The other pods that keep the target's groups down, by looking unhealthy. */
export function othersDown(pod: PodRecord, judges: readonly Judge[]): readonly PodVersion[] {
  const others = new Set<PodRecord>();
  for (const judge of judges) {
    for (const one of blamed(pod, judge)) others.add(one);
  }
  return [...others].map(versionOf).sort((a, b) => compareStrings(a.pod, b.pod));
}

/** Nobody is to blame where the group is down even if all that is left of it were healthy: no recovery can change that. */
function blamed(pod: PodRecord, judge: Judge): readonly PodRecord[] {
  const group = membersOf(pod, judge);
  if (group === undefined) return [];
  // Those that are reserved on a condition may yet turn out to be left, too (N6).
  const left = group.members.filter(group.counts);
  if (left.length < group.minimum) return [];
  const down = left.filter((member) => member !== pod && !serves(member, judge));
  const healthy = left.length - left.filter((member) => !serves(member, judge)).length;
  return healthy < group.minimum ? down : [];
}

interface Members {
  readonly members: readonly PodRecord[];
  readonly minimum: number;
  readonly counts: (pod: PodRecord) => boolean;
}

function membersOf(pod: PodRecord, judge: Judge): Members | undefined {
  if (judge.kind === 'pdbGroup') {
    const counts = (one: PodRecord): boolean => one.counted || one.unproven;
    return { members: [...judge.group.pods], minimum: judge.pdb.boundsOf(judge.group).least, counts };
  }
  if (judge.kind !== 'pub') return undefined;
  const { pub } = judge;
  const unit = pub.unitOf(pod);
  if (unit === undefined) return undefined;
  const counts = (one: PodRecord): boolean => pub.counts(one) || pub.mayCount(one);
  return { members: [...unit.pods], minimum: pub.boundsOf(unit).least, counts };
}

import type { RefusalCode, Withholder } from '../../api/reasons.ts';
import { compareStrings } from '../compare.ts';
import { bit } from '../health.ts';
import type { Bounds } from '../world/bounds.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { Strength } from '../world/share.ts';

/** What a unit loses with a pod (N4). */
export type Loss =
  | { readonly kind: 'surplus' }
  | { readonly kind: 'breaks'; readonly doubt?: Doubt }
  | { readonly kind: 'down' }
  /** It serves, and probes of these pods say that it must not be disrupted (H5). */
  | { readonly kind: 'withheld'; readonly by: readonly PodRecord[] };

/** Why it is not known whether the unit is available. It is charged for as if it were (N6, U2). */
interface Doubt {
  readonly code: RefusalCode;
  readonly detail: string;
}

interface Unit extends Strength {
  readonly pods: ReadonlySet<PodRecord>;
}

interface Target {
  /** It is counted and healthy itself. */
  readonly healthy: boolean;
  /** Whether a pod of the unit counts, or may turn out to. */
  readonly counts: (pod: PodRecord) => boolean;
}

/** A unit of one pod. Where a probe says no, the veto answers (V1). */
export function lossOfPod(healthy: boolean): Loss {
  return { kind: healthy ? 'breaks' : 'down' };
}

/**
 * Pods that are reserved on a condition may go or stay. Those that go make no unit available, so they are left out of it; those
 * that stay may make it serve, so without them it is not known to be down (N6). A unit is withheld when that is possible for any
 * choice of pods that stay: pods that serve and are not healthy are there, and with them it may reach its minimum.
 */
export function lossOf(unit: Unit, { least, enough }: Bounds, target: Target): Loss {
  if (unit.healthy - Number(target.healthy) >= enough) return { kind: 'surplus' };
  if (unit.healthy >= enough) return { kind: 'breaks' };
  const healthy = unit.healthy + unit.unproven;
  const serving = unit.serving + unit.unprovenServing;
  if (serving >= least && serving > healthy) return { kind: 'withheld', by: withholdersIn(unit, target) };
  if (!target.healthy || healthy < least) return { kind: 'down' };
  return { kind: 'breaks', doubt: doubtOf(unit, least, enough) };
}

/** A unit that is in doubt is not among the available ones, and is charged for as if it were. */
export function availableFor(loss: Loss, available: number): number {
  return loss.kind === 'breaks' && loss.doubt !== undefined ? available + 1 : available;
}

function doubtOf(unit: Unit, least: number, enough: number): Doubt {
  if (unit.healthy >= least && least < enough) {
    return {
      code: 'GroupSizeUnknown',
      detail: `${unit.healthy} of its pods are available, and it may have up to ${enough}`,
    };
  }
  const [first = '', ...others] = [...unit.pods].filter((pod) => pod.unproven).map((pod) => pod.name);
  const detail = others.length === 0 ? first : `${first} (and ${others.length} more)`;
  return { code: 'DisruptionUnproven', detail };
}

function withholdersIn(unit: Unit, { counts }: Target): readonly PodRecord[] {
  return [...unit.pods]
    .filter((pod) => counts(pod) && pod.vetoes && pod.serves)
    .sort((a, b) => compareStrings(a.name, b.name));
}

/** What a probe does to its unit, for the refusal (I12). */
export function withholderOf(pod: PodRecord): Withholder {
  if (pod.has(bit.probeInvalid)) return { pod: pod.name, probe: 'invalid' };
  if (!pod.has(bit.disruptable)) return { pod: pod.name, probe: 'no' };
  return { pod: pod.name, probe: 'stale', ...(pod.node === undefined ? {} : { node: pod.node }) };
}

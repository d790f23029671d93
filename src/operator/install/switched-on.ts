import { defaultFeatureGates, enforcedRolloutGate } from '../feature-gates.ts';
import type { InstallValues } from './values.ts';

/** What of an installation is switched on, and so needs rights. */

export function repairsRollouts({ featureGates }: InstallValues): boolean {
  return { ...defaultFeatureGates, ...featureGates }[enforcedRolloutGate];
}

/** Without takeovers the built-in check has the last word, pod by pod, so that it must keep its own number. */
export function projects({ projection, takeover }: Pick<InstallValues, 'projection' | 'takeover'>): boolean {
  return projection === 'on' && takeover === 'on';
}

/** A takeover completes an eviction with a DELETE, and a repair replaces a pod with one. */
export function deletesPods(values: InstallValues): boolean {
  return values.takeover !== 'off' || repairsRollouts(values);
}

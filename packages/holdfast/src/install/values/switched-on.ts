import { defaultFeatureGates, enforcedRolloutGate } from './feature-gates.ts';
import type { InstallValues } from './values.ts';

/** What of an installation is switched on, and so needs rights. */

/** A repair deletes pods, and who observes deletes nothing. */
export function repairsRollouts({ featureGates, mode }: Pick<InstallValues, 'featureGates' | 'mode'>): boolean {
  return mode === 'enforce' && { ...defaultFeatureGates, ...featureGates }[enforcedRolloutGate];
}

/** Without takeovers the built-in check has the last word, pod by pod, so that it must keep its own number. */
export function projects({
  projection,
  takeover,
  mode,
}: Pick<InstallValues, 'projection' | 'takeover' | 'mode'>): boolean {
  return mode === 'enforce' && projection === 'on' && takeover === 'on';
}

/** A takeover completes an eviction with a DELETE, and a repair replaces a pod with one. */
export function deletesPods(values: InstallValues): boolean {
  return (values.mode === 'enforce' && values.takeover !== 'off') || repairsRollouts(values);
}

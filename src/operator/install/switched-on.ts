import { defaultFeatureGates, enforcedRolloutGate } from '../feature-gates.ts';
import type { InstallValues } from './values.ts';

/** What of an installation is switched on, and so needs rights. */

export function repairsRollouts({ featureGates }: InstallValues): boolean {
  return { ...defaultFeatureGates, ...featureGates }[enforcedRolloutGate];
}

/** A takeover completes an eviction with a DELETE, and a repair replaces a pod with one. */
export function deletesPods(values: InstallValues): boolean {
  return values.takeover !== 'off' || repairsRollouts(values);
}

/** Features that can be switched off, by the names that Kubernetes gives such switches. */

export const enforcedRolloutGate = 'EnforcedRollingUpdateInStatefulSet';

export interface FeatureGates {
  readonly [enforcedRolloutGate]: boolean;
}

export const defaultFeatureGates: FeatureGates = { [enforcedRolloutGate]: true };

export type ParsedGates =
  | { readonly ok: true; readonly gates: FeatureGates }
  | { readonly ok: false; readonly problem: string };

/** As Kubernetes' own components take them: `Name=true,Other=false`. */
export function parseFeatureGates(text: string): ParsedGates {
  const gates: Record<string, boolean> = { ...defaultFeatureGates };
  for (const pair of text.split(',').filter((one) => one !== '')) {
    const [name = '', value = '', ...rest] = pair.split('=').map((part) => part.trim());
    if (!Object.hasOwn(gates, name))
      return bad(`${name} is not a feature gate; there is ${Object.keys(gates).join(', ')}`);
    if (rest.length > 0 || (value !== 'true' && value !== 'false')) return bad(`${name} must be true or false`);
    gates[name] = value === 'true';
  }
  // Safe: it began as all gates, and only their values were changed.
  return { ok: true, gates: gates as unknown as FeatureGates };
}

function bad(problem: string): ParsedGates {
  return { ok: false, problem };
}

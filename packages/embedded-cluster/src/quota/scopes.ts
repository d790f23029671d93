import type { Pod, PodAffinityTerm, PodSpec, ResourceQuotaSpec } from 'kubernetes-types/core/v1.js';
import { podQosClass } from '../kinds/builtin/pods/pod-qos.ts';
import type { JsonObject, KubeObject, ResourceKey } from '../objects.ts';

interface ScopeRule {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/**
 * Whether a quota is about this object. Scopes are properties of pods and of claims for volumes, so that a quota with scopes
 * is about nothing else.
 */
export function isInScope(quota: ResourceQuotaSpec, resource: ResourceKey, object: KubeObject): boolean {
  const rules = rulesOf(quota);
  if (rules.length === 0) return true;
  if (resource === 'persistentvolumeclaims') return rules.every((rule) => claimMatches(rule, object));
  if (resource !== 'pods') return false;
  const spec = (object as KubeObject & Pod).spec ?? { containers: [] };
  return rules.every((rule) => matches(rule, spec));
}

function rulesOf({ scopes = [], scopeSelector }: ResourceQuotaSpec): readonly ScopeRule[] {
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

function matches(rule: ScopeRule, spec: PodSpec): boolean {
  switch (rule.scopeName) {
    case 'Terminating':
      return spec.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return spec.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return podQosClass(spec as unknown as JsonObject) === 'BestEffort';
    case 'NotBestEffort':
      return podQosClass(spec as unknown as JsonObject) !== 'BestEffort';
    case 'PriorityClass':
      return hasName(rule, spec.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec).some(
        (term) => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined,
      );
    default:
      return false;
  }
}

/** Of its classes of attributes, that which it is to have and that which it has. One that fits is enough. */
function claimMatches(rule: ScopeRule, claim: KubeObject): boolean {
  if (rule.scopeName !== 'VolumeAttributesClass') return false;
  const spec = claim['spec'] as { volumeAttributesClassName?: string } | undefined;
  const status = claim['status'] as ClaimStatus | undefined;
  const wanted = [spec?.volumeAttributesClassName, status?.modifyVolumeStatus?.targetVolumeAttributesClassName];
  const names = [...wanted, status?.currentVolumeAttributesClassName].filter(
    (name) => name !== undefined && name !== '',
  );
  return names.length === 0 ? hasName(rule, '') : names.some((name) => hasName(rule, name ?? ''));
}

interface ClaimStatus {
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
}

function hasName({ operator, values = [] }: ScopeRule, name: string): boolean {
  if (operator === 'In') return values.includes(name);
  if (operator === 'NotIn') return !values.includes(name);
  return operator === 'Exists' ? name !== '' : name === '';
}

function affinityTerms({ affinity }: PodSpec): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((of) => [
    ...(of?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(of?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

import { isObject } from '@holdfast/base/json';
import type { StringMap } from '@holdfast/base/meta';
import type { ClusterRoleBinding } from 'kubernetes-types/rbac/v1.js';
import { operatorName } from '../../api/installation-names.ts';

/** As much of a definition as says whose it is. */
export interface FoundDefinition {
  readonly metadata?: {
    readonly annotations?: StringMap;
    readonly labels?: StringMap;
    readonly managedFields?: readonly { readonly manager?: string }[];
  };
  readonly spec?: { readonly conversion?: { readonly strategy?: string } };
}

const generator = 'controller-gen.kubebuilder.io/version';
const release = 'meta.helm.sh/release-name';

/**
 * Why a definition that is there is Kruise's and not ours, in words. Ours is not made by a generator and converts by no webhook,
 * whichever tool applied it; so a tool that adds labels of its own does not make it foreign.
 */
export function foreignSign({ metadata, spec }: FoundDefinition): string | undefined {
  const { annotations = {}, labels = {}, managedFields = [] } = metadata ?? {};
  if (annotations[generator] !== undefined) return `it was made by controller-gen ${annotations[generator]}`;
  const names = [annotations[release], ...Object.values(labels), ...managedFields.map(({ manager }) => manager)];
  const kruise = names.find((name) => name?.includes('kruise') === true);
  if (kruise !== undefined) return `it belongs to ${kruise}`;
  const strategy = spec?.conversion?.strategy;
  return strategy === undefined || strategy === 'None' ? undefined : 'it converts by a webhook of its own';
}

/** The namespace that an installation is in, which its binding names. Undefined: there is none. */
export function installedIn(binding: ClusterRoleBinding | undefined): string | undefined {
  const accounts = binding?.subjects?.filter(({ kind }) => kind === 'ServiceAccount') ?? [];
  return accounts.find(({ name }) => name === operatorName)?.namespace;
}

export function isTerminating(object: unknown): boolean {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  return isObject(metadata) && typeof metadata['deletionTimestamp'] === 'string';
}

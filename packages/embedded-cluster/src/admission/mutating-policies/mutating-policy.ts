import { type CelCompiled, compileMutation } from '../../cel/cel.ts';
import type { KubeObject } from '../../objects.ts';
import { compileFrame, type PolicyFrame, policyVariables } from '../policies/policy.ts';

export interface MutatingPolicy extends PolicyFrame {
  /** To be applied again when another plugin changed the object after it. */
  readonly reinvoke: boolean;
  readonly mutations: readonly Mutation[];
}

export interface Mutation {
  /** What the expression makes: a part of the object to be merged into it, or the operations of a JSON patch. */
  readonly kind: 'configuration' | 'patch';
  readonly compiled: CelCompiled;
}

interface StoredSpec {
  readonly paramKind?: unknown;
  readonly reinvocationPolicy?: string;
  readonly mutations?: readonly StoredMutation[];
}

interface StoredMutation {
  readonly patchType?: string;
  readonly applyConfiguration?: { readonly expression?: string };
  readonly jsonPatch?: { readonly expression?: string };
}

export function compileMutatingPolicy(object: KubeObject): MutatingPolicy {
  const spec = (object['spec'] ?? {}) as StoredSpec;
  const variables = policyVariables(spec.paramKind !== undefined);
  return {
    ...compileFrame(object, compileMutation),
    reinvoke: spec.reinvocationPolicy === 'IfNeeded',
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) =>
      patchType === 'JSONPatch'
        ? { kind: 'patch', compiled: compileMutation(jsonPatch?.expression ?? '', variables) }
        : { kind: 'configuration', compiled: compileMutation(applyConfiguration?.expression ?? '', variables) },
    ),
  };
}

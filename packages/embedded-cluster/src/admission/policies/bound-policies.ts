import type { KubeObject, ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import { type Binding, compileBinding, type PolicyFrame } from './policy.ts';

export interface BoundPolicy<P extends PolicyFrame> {
  readonly policy: P;
  readonly binding: Binding;
}

interface PolicyKind<P> {
  readonly policies: ResourceKey;
  readonly bindings: ResourceKey;
  compile(object: KubeObject): P;
}

/** Policies with their bindings, compiled once for as long as the stored objects stay what they are. */
export function createBoundSource<P extends PolicyFrame>(
  view: View,
  kind: PolicyKind<P>,
): () => readonly BoundPolicy<P>[] {
  const compiledPolicies = new WeakMap<KubeObject, P>();
  const compiledBindings = new WeakMap<KubeObject, Binding>();
  return () =>
    view.list(kind.bindings).flatMap((stored) => {
      const binding = remembered(compiledBindings, stored, compileBinding);
      const found = view.get(kind.policies, '', binding.policyName);
      return found === undefined ? [] : [{ binding, policy: remembered(compiledPolicies, found, kind.compile) }];
    });
}

function remembered<T>(known: WeakMap<KubeObject, T>, object: KubeObject, compile: (object: KubeObject) => T): T {
  const value = known.get(object) ?? compile(object);
  known.set(object, value);
  return value;
}

import { sameJson } from '@holdfast/base/json';
import type { ResourceType, ResourceTypes } from '../kinds/resource-type.ts';
import { clone, type KubeObject } from '../objects.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { View } from '../view.ts';
import type { Admission, AdmissionRequest } from './admission.ts';
import { leaderWorkerSet } from './builtin/leader-worker-set.ts';
import { namespaceLifecycle } from './builtin/namespace-lifecycle.ts';
import { nodeTaint } from './builtin/node-taint.ts';
import type { Plugin } from './builtin/plugin.ts';
import { podGroupProtection } from './builtin/pod-group-protection.ts';
import { priority } from './builtin/priority.ts';
import { serviceAccount } from './builtin/service-account.ts';
import { defaultTolerations } from './builtin/tolerations.ts';
import { createMutatingPolicySource, runMutatingPolicies } from './mutating-policies/run-mutating-policies.ts';
import { createPolicySource, runPolicies } from './policies/run-policies.ts';
import type { GroupVersionKind } from './webhooks/admission-review.ts';
import { Reinvocation, runMutatingWebhooks } from './webhooks/mutating-webhooks.ts';
import { runValidatingWebhooks } from './webhooks/validating-webhooks.ts';
import { type ConnectWebhook, createWebhookClient } from './webhooks/webhook-client.ts';
import type { ResolveService } from './webhooks/webhook-endpoint.ts';
import { createWebhookSource, mutatingConfigurations, validatingConfigurations } from './webhooks/webhook-source.ts';

export type PluginName =
  | 'NamespaceLifecycle'
  | 'ServiceAccount'
  | 'TaintNodesByCondition'
  | 'Priority'
  | 'DefaultTolerationSeconds'
  | 'PodGroupProtection'
  | 'LeaderWorkerSet'
  | 'MutatingAdmissionPolicy'
  | 'MutatingAdmissionWebhook'
  | 'ValidatingAdmissionPolicy'
  | 'ValidatingAdmissionWebhook';

export interface AdmissionOptions {
  readonly view: View;
  readonly types: ResourceTypes;
  readonly clock: Clock;
  readonly random: Random;
  readonly resolveService: ResolveService;
  /** Absent: over TLS. */
  readonly connectWebhook?: ConnectWebhook;
  convert(type: ResourceType, object: KubeObject, apiVersion: string): Promise<KubeObject>;
  /** Fills in what is not there, after a webhook's patch. The kind may be one of a subresource. */
  applyDefaults(kind: GroupVersionKind, draft: KubeObject): void;
  /** Default false: the token volume makes a small pod three times as large, and no container here reads it. */
  readonly mountServiceAccountTokens?: boolean;
  /** By the names that `--disable-admission-plugins` takes. */
  readonly disabledPlugins?: readonly PluginName[];
}

/** Everything that has a say in a request before it reaches the store, in the order of the real server. */
export function createAdmission(options: AdmissionOptions): Admission & { close(): void } {
  const { view, clock, resolveService, connectWebhook } = options;
  const enabled = (name: PluginName) => !options.disabledPlugins?.includes(name);
  const plugins = builtinPlugins(options, enabled);
  const mutating = enabled('MutatingAdmissionWebhook') ? createWebhookSource(view, mutatingConfigurations) : () => [];
  const validating = enabled('ValidatingAdmissionWebhook')
    ? createWebhookSource(view, validatingConfigurations)
    : () => [];
  const mutatingPolicies = enabled('MutatingAdmissionPolicy') ? createMutatingPolicySource(view) : () => [];
  const policies = enabled('ValidatingAdmissionPolicy') ? createPolicySource(view) : () => [];
  const client = createWebhookClient({
    clock,
    resolveService,
    ...(connectWebhook === undefined ? {} : { connect: connectWebhook }),
  });
  const context = { ...options, client };

  async function pass(request: AdmissionRequest, reinvocation: Reinvocation): Promise<KubeObject | undefined> {
    const webhooks = mutating();
    const changing = mutatingPolicies();
    // Plugins leave status alone, so that without webhooks and policies nothing of it changes on the way.
    const isFixed = request.subresource === 'status' && webhooks.length === 0 && changing.length === 0;
    const draft = request.object && !isFixed ? draftOf(request.object) : request.object;
    for (const plugin of plugins) await plugin.admit?.({ ...request, object: draft }, draft, options);
    if (reinvocation.round === 'second' && !sameJson(draft, request.object)) reinvocation.objectChanged();
    const object = await runMutatingPolicies(changing, { ...request, object: draft }, reinvocation, context);
    return runMutatingWebhooks(webhooks, { ...request, object }, reinvocation, context);
  }

  return {
    async mutate(request) {
      const reinvocation = new Reinvocation();
      const object = await pass(request, reinvocation);
      if (!reinvocation.changed) return object;
      reinvocation.round = 'second';
      return pass({ ...request, object }, reinvocation);
    },
    async validate(request) {
      for (const plugin of plugins) plugin.validate?.(request, options);
      await runPolicies(policies(), request, context);
      await runValidatingWebhooks(validating(), request, context);
    },
    close: () => client.close(),
  };
}

/** A copy, but for what is said of its fields: no plugin changes that, it is large, and it is known by its identity when it is stored. */
function draftOf(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata ?? {};
  if (managedFields === undefined) return clone(object);
  const draft = clone({ ...object, metadata } as KubeObject);
  draft.metadata.managedFields = managedFields;
  return draft;
}

function builtinPlugins(options: AdmissionOptions, enabled: (name: PluginName) => boolean): readonly Plugin[] {
  const all: readonly (readonly [PluginName, Plugin])[] = [
    ['NamespaceLifecycle', namespaceLifecycle],
    ['ServiceAccount', serviceAccount({ mountTokens: options.mountServiceAccountTokens ?? false })],
    ['TaintNodesByCondition', nodeTaint],
    ['Priority', priority],
    ['DefaultTolerationSeconds', defaultTolerations],
    ['PodGroupProtection', podGroupProtection],
    // Last, as the webhook would be whose work it does.
    ['LeaderWorkerSet', leaderWorkerSet],
  ];
  return all.filter(([name]) => enabled(name)).map(([, plugin]) => plugin);
}

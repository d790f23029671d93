import type {
  MatchCondition,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from 'kubernetes-types/admissionregistration/v1.js';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import { label } from '../../api/names.ts';
import { pubGroup } from '../../api/pub.ts';
import { withTrust } from '../certificates/inject.ts';
import { caInjection } from './cert-manager.ts';
import { commonLabels, operatorName, webhookPaths } from './names.ts';
import { podMakers } from './pod-places.ts';
import { projectionConditions } from './projection-policy.ts';
import { projects } from './switched-on.ts';
import type { InstallValues } from './values.ts';
import { conditionsOf } from './webhook-conditions.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The published types leave out what a rule is about. */
type Rule = RuleWithOperations & { readonly resources: readonly string[]; readonly scope: 'Namespaced' };

/**
 * Paths at which the operator answers. A webhook that is registered without a handler behind it would refuse everything that it
 * is asked, so it is this set that decides which webhooks there are.
 */
export const answeredPaths: ReadonlySet<string> = new Set([
  webhookPaths.pods,
  webhookPaths.budgets,
  webhookPaths.statefulSets,
  webhookPaths.probes,
  webhookPaths.pinning,
  webhookPaths.projection,
]);

export type WebhookConfiguration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

/** The configurations of those webhooks that are called at one of these paths; one that is left with none is left out. */
export function webhookConfigurations(
  values: InstallValues,
  paths: ReadonlySet<string>,
  segment?: string,
): readonly WebhookConfiguration[] {
  const validating = validatingConfiguration(values);
  const mutating = mutatingConfiguration(values);
  return [
    { ...validating, webhooks: calledAt(validating.webhooks, paths) },
    { ...mutating, webhooks: calledAt(mutating.webhooks, paths) },
  ]
    .filter(({ webhooks }) => webhooks.length > 0)
    .map((configuration) => withTrust(configuration, { authorities: undefined, segment }) ?? configuration);
}

/** The configurations without webhooks: the operator puts them in when it can answer. */
export function emptyConfigurations(values: InstallValues): readonly WebhookConfiguration[] {
  return [
    { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: metadata(values) },
    { apiVersion, kind: 'MutatingWebhookConfiguration', metadata: metadata(values) },
  ];
}

function calledAt<T extends { readonly clientConfig: WebhookClientConfig }>(
  webhooks: readonly T[] = [],
  paths: ReadonlySet<string>,
): T[] {
  return webhooks.filter(({ clientConfig: { service, url } }) => paths.has(service?.path ?? pathOf(url)));
}

function pathOf(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).pathname;
}

function validatingConfiguration(values: InstallValues): ValidatingWebhookConfiguration {
  const pods = { path: webhookPaths.pods, selector: guarded(values), sideEffects: 'NoneOnDryRun' } as const;
  return {
    apiVersion,
    kind: 'ValidatingWebhookConfiguration',
    metadata: metadata(values),
    webhooks: [
      webhook(values, {
        ...pods,
        name: 'eviction',
        rules: [rule('', ['v1'], ['pods/eviction'], ['CREATE'])],
        conditions: [],
      }),
      webhook(values, {
        ...pods,
        name: 'deletion',
        rules: [rule('', ['v1'], ['pods'], ['DELETE'])],
        conditions: conditionsOf(values.namespace).deletion,
      }),
      webhook(values, {
        ...pods,
        name: 'update',
        rules: [rule('', ['v1'], ['pods', 'pods/resize'], ['UPDATE'])],
        conditions: conditionsOf(values.namespace).update,
      }),
      webhook(values, {
        ...pods,
        name: 'announcement',
        rules: [rule('', ['v1'], ['pods/status'], ['UPDATE'])],
        conditions: conditionsOf(values.namespace).announcement,
      }),
      webhook(values, {
        name: 'budgets',
        path: webhookPaths.budgets,
        // The first budget of a namespace is written before that is guarded.
        selector: elsewhere(values),
        sideEffects: 'None',
        rules: [rule(pubGroup, ['v1alpha1', 'v1beta1'], ['podunavailablebudgets'], ['CREATE', 'UPDATE'])],
        conditions: conditionsOf(values.namespace).budget,
      }),
      {
        ...webhook(values, {
          name: 'probes',
          path: webhookPaths.probes,
          selector: elsewhere(values),
          sideEffects: 'None',
          rules: podMakers.map(({ group, versions, resources }) =>
            rule(group, [...versions], [...resources], ['CREATE', 'UPDATE']),
          ),
          conditions: conditionsOf(values.namespace).probes,
        }),
        ...harmless,
      },
    ],
  };
}

/** A pod that cannot be created while we are away would be worse than a probe that was not checked, which counts as failing. */
const harmless = { failurePolicy: 'Ignore', timeoutSeconds: 2 } as const;

function mutatingConfiguration(values: InstallValues): MutatingWebhookConfiguration {
  const statefulSets = webhook(values, {
    name: 'statefulsets',
    path: webhookPaths.statefulSets,
    selector: elsewhere(values),
    sideEffects: 'None',
    rules: [rule('apps', ['v1'], ['statefulsets'], ['CREATE', 'UPDATE'])],
    conditions: conditionsOf(values.namespace).statefulSet,
  });
  return {
    apiVersion,
    kind: 'MutatingWebhookConfiguration',
    metadata: metadata(values),
    // Another webhook may write the strategy after us; asked again, we say the same.
    webhooks: [
      { ...statefulSets, reinvocationPolicy: 'IfNeeded' },
      pinning(values),
      ...(projects(values) ? [projection(values)] : []),
    ],
  };
}

/**
 * Binds every eviction to the uid of its pod: an Eviction names a pod, and another one may have the name by the time that the API
 * server acts. Where it does not answer, the validating webhook lets nothing pass by a name alone; so a failure here stops nothing.
 */
function pinning(values: InstallValues): ValidatingWebhook {
  return {
    ...webhook(values, {
      name: 'pin',
      path: webhookPaths.pinning,
      selector: guarded(values),
      sideEffects: 'None',
      rules: [rule('', ['v1'], ['pods/eviction'], ['CREATE'])],
      conditions: conditionsOf(values.namespace).pinning,
    }),
    ...harmless,
  };
}

/** Puts the number of units into what the disruption controller writes, where API servers have no policies that do. */
function projection(values: InstallValues): ValidatingWebhook {
  return {
    ...webhook(values, {
      name: 'projection',
      path: webhookPaths.projection,
      selector: guarded(values),
      sideEffects: 'None',
      rules: [rule('policy', ['v1'], ['poddisruptionbudgets/status'], ['UPDATE'])],
      conditions: projectionConditions,
    }),
    ...harmless,
  };
}

function metadata(values: InstallValues) {
  return { name: operatorName, labels: { ...commonLabels }, ...caInjection(values) };
}

interface Wish {
  readonly name: string;
  readonly path: string;
  readonly selector: LabelSelector;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly rules: Rule[];
  readonly conditions: readonly MatchCondition[];
}

function webhook(values: InstallValues, wish: Wish): ValidatingWebhook {
  const { timeoutSeconds, failurePolicy } = values.webhook;
  return {
    name: `${wish.name}.holdfast.dev`,
    clientConfig: clientConfig(values, wish.path),
    rules: wish.rules,
    failurePolicy,
    matchPolicy: 'Equivalent',
    namespaceSelector: wish.selector,
    ...(wish.conditions.length === 0 ? {} : { matchConditions: wish.conditions.map((one) => ({ ...one })) }),
    sideEffects: wish.sideEffects,
    timeoutSeconds,
    admissionReviewVersions: ['v1'],
  };
}

function clientConfig({ namespace, webhook: { url, caBundle } }: InstallValues, path: string): WebhookClientConfig {
  const trust = caBundle === undefined ? {} : { caBundle: Buffer.from(caBundle).toString('base64') };
  if (url !== undefined) return { url: `${new URL(url).origin}${path}`, ...trust };
  return { service: { name: operatorName, namespace, path, port: 443 }, ...trust };
}

function rule(group: string, versions: string[], resources: string[], operations: string[]): Rule {
  return { apiGroups: [group], apiVersions: versions, resources, operations, scope: 'Namespaced' };
}

/** A dead webhook must not freeze a cluster: API servers do not call it where it is needed to come back, nor where there is nothing to protect. */
function guarded(values: InstallValues): LabelSelector {
  const named = elsewhere(values).matchExpressions ?? [];
  return { matchExpressions: [{ key: label.guard, operator: 'In', values: ['enabled'] }, ...named] };
}

function elsewhere({ namespace }: InstallValues): LabelSelector {
  const values = ['kube-system', namespace];
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }] };
}

import type {
  MatchCondition,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from 'kubernetes-types/admissionregistration/v1.js';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import type { InstallationMode } from '../../api/installation-names.ts';
import { commonLabels, operatorName, webhookName, webhookPaths } from '../../api/installation-names.ts';
import { label } from '../../api/names.ts';
import { pubGroup } from '../../api/pub/pub.ts';
import { guardedValue, observedValue } from '../../observe/guard/guard-mode.ts';
import { withTrust } from '../../trust/webhook-trust.ts';
import { projects } from '../values/switched-on.ts';
import type { InstallValues } from '../values/values.ts';
import { caInjection } from './cert-manager.ts';
import { podMakers } from './pod-places.ts';
import { projectionConditions } from './projection-policy.ts';
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
  const observed = (input: WebhookInput): ValidatingWebhook => ({
    ...webhook(values, input, 'observe'),
    ...unobtrusive(values),
  });
  const inputs = [...podWebhooks(values), budgetsWebhook(values)];
  const enforcing = values.mode === 'enforce' ? inputs.map((input) => webhook(values, input)) : [];
  return {
    apiVersion,
    kind: 'ValidatingWebhookConfiguration',
    metadata: metadata(values),
    webhooks: [
      ...enforcing,
      ...inputs.map(observed),
      {
        ...webhook(values, {
          name: 'probes',
          path: webhookPaths.probes,
          reach: 'all',
          sideEffects: 'None',
          rules: podMakers.map(({ group, versions, resources }) =>
            rule(group, [...versions], [...resources], ['CREATE', 'UPDATE']),
          ),
          conditions: conditionsOf(values.namespace).probes,
        }),
        namespaceSelector: elsewhere(values),
        ...harmless,
      },
    ],
  };
}

function podWebhooks({ namespace }: InstallValues): readonly WebhookInput[] {
  const pods = { path: webhookPaths.pods, reach: 'guarded', sideEffects: 'NoneOnDryRun' } as const;
  const conditions = conditionsOf(namespace);
  return [
    { ...pods, name: 'eviction', rules: [rule('', ['v1'], ['pods/eviction'], ['CREATE'])], conditions: [] },
    { ...pods, name: 'deletion', rules: [rule('', ['v1'], ['pods'], ['DELETE'])], conditions: conditions.deletion },
    {
      ...pods,
      name: 'update',
      rules: [rule('', ['v1'], ['pods', 'pods/resize'], ['UPDATE'])],
      conditions: conditions.update,
    },
    {
      ...pods,
      name: 'announcement',
      rules: [rule('', ['v1'], ['pods/status'], ['UPDATE'])],
      conditions: conditions.announcement,
    },
  ];
}

function budgetsWebhook({ namespace }: InstallValues): WebhookInput {
  return {
    name: 'budgets',
    path: webhookPaths.budgets,
    // The first budget of a namespace is written before that is guarded.
    reach: 'all',
    sideEffects: 'None',
    rules: [rule(pubGroup, ['v1alpha1', 'v1beta1'], ['podunavailablebudgets'], ['CREATE', 'UPDATE'])],
    conditions: conditionsOf(namespace).budget,
  };
}

/** A pod that cannot be created while we are away would be worse than a probe that was not checked, which counts as failing. */
const harmless = { failurePolicy: 'Ignore', timeoutSeconds: 2 } as const;

/** Requests must not wait long for what only watches them, nor fail because of it. */
function unobtrusive({ webhook: { timeoutSeconds } }: InstallValues) {
  return { failurePolicy: 'Ignore', timeoutSeconds: Math.min(timeoutSeconds, 5) } as const;
}

function mutatingConfiguration(values: InstallValues): MutatingWebhookConfiguration {
  const statefulSets: WebhookInput = {
    name: 'statefulsets',
    path: webhookPaths.statefulSets,
    reach: 'all',
    sideEffects: 'None',
    rules: [rule('apps', ['v1'], ['statefulsets'], ['CREATE', 'UPDATE'])],
    conditions: conditionsOf(values.namespace).statefulSet,
  };
  // Another webhook may write the strategy after us; asked again, we say the same.
  const again = { reinvocationPolicy: 'IfNeeded' } as const;
  const enforces = values.mode === 'enforce';
  return {
    apiVersion,
    kind: 'MutatingWebhookConfiguration',
    metadata: metadata(values),
    webhooks: [
      ...(enforces ? [{ ...webhook(values, statefulSets), ...again }] : []),
      { ...webhook(values, statefulSets, 'observe'), ...unobtrusive(values), ...again },
      ...(enforces ? [pinning(values)] : []),
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
      reach: 'guarded',
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
      reach: 'guarded',
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

interface WebhookInput {
  readonly name: string;
  readonly path: string;
  /** In which namespaces: where there is something to protect, or in all. */
  readonly reach: 'guarded' | 'all';
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly rules: Rule[];
  readonly conditions: readonly MatchCondition[];
}

function webhook(values: InstallValues, input: WebhookInput, mode: InstallationMode = 'enforce'): ValidatingWebhook {
  const { timeoutSeconds, failurePolicy } = values.webhook;
  return {
    name: webhookName(input.name, mode),
    clientConfig: clientConfig(values, input.path),
    rules: input.rules,
    failurePolicy,
    matchPolicy: 'Equivalent',
    namespaceSelector: selectorOf(values, input.reach, mode),
    ...(input.conditions.length === 0 ? {} : { matchConditions: input.conditions.map((one) => ({ ...one })) }),
    sideEffects: input.sideEffects,
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

/**
 * A dead webhook must not freeze a cluster: where it is needed to come back, and where nothing is to protect, API servers do not call it.
 * Each namespace is asked about by one webhook of each sort: the one that may refuse, or the one that observes.
 */
function selectorOf(values: InstallValues, reach: WebhookInput['reach'], mode: InstallationMode): LabelSelector {
  const named = elsewhere(values).matchExpressions ?? [];
  const guard = guardRequirement(values, reach, mode);
  return { matchExpressions: guard === undefined ? named : [{ key: label.guard, ...guard }, ...named] };
}

function guardRequirement({ mode: installed }: InstallValues, reach: WebhookInput['reach'], mode: InstallationMode) {
  if (mode === 'enforce')
    return reach === 'all'
      ? { operator: 'NotIn', values: [observedValue] }
      : { operator: 'In', values: [guardedValue] };
  if (installed === 'enforce') return { operator: 'In', values: [observedValue] };
  return reach === 'all' ? undefined : { operator: 'In', values: [guardedValue, observedValue] };
}

function elsewhere({ namespace }: InstallValues): LabelSelector {
  const values = ['kube-system', namespace];
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }] };
}

import { type FieldError, invalid } from '@holdfast/base/field-errors';
import { fillIn, listAt, objectAt, objectsAt, textsAt } from '../../kinds/builtin/checks/read.ts';
import type { Strategy } from '../../kinds/strategy.ts';
import { type JsonObject, type KubeObject, resourceKey } from '../../objects.ts';
import { isJsonObject } from '../../schema/json-values.ts';
import { virtualResources } from './webhook-match.ts';
import { type ConfigurationKind, configurationErrors } from './webhook-validation.ts';

export const validatingWebhookConfigurationStrategy: Strategy = strategy('validating');
export const mutatingWebhookConfigurationStrategy: Strategy = strategy('mutating');

function strategy(kind: ConfigurationKind): Strategy {
  return {
    requiresResourceVersion: true,
    applyDefaults(draft) {
      for (const webhook of listAt(draft, 'webhooks')) if (isJsonObject(webhook)) fillInWebhook(webhook, kind);
    },
    validate: (object) => [...configurationErrors(object, kind), ...reservedNameErrors(object)],
    validateUpdate: (object) => configurationErrors(object, kind),
    warnings: (object, old) => [...(old ? reservedNameWarnings(object) : []), ...uselessRuleWarnings(object)],
  };
}

function fillInWebhook(webhook: JsonObject, kind: ConfigurationKind): void {
  fillIn(webhook, 'failurePolicy', 'Fail');
  fillIn(webhook, 'matchPolicy', 'Equivalent');
  fillIn(webhook, 'namespaceSelector', {});
  fillIn(webhook, 'objectSelector', {});
  fillIn(webhook, 'timeoutSeconds', 10);
  if (kind === 'mutating') fillIn(webhook, 'reinvocationPolicy', 'Never');
  for (const rule of listAt(webhook, 'rules')) if (isJsonObject(rule)) fillIn(rule, 'scope', '*');
  const service = objectAt(objectAt(webhook, 'clientConfig'), 'service');
  if (service) fillIn(service, 'port', 443);
}

const reservedSuffix = '.static.k8s.io';
const reserved = `names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`;

function hasReservedName({ metadata }: KubeObject): boolean {
  return metadata.name?.endsWith(reservedSuffix) ?? false;
}

function reservedNameErrors(configuration: KubeObject): readonly FieldError[] {
  return hasReservedName(configuration) ? [invalid('metadata.name', configuration.metadata.name, reserved)] : [];
}

/** One that has the name already may be changed, with a word about it. */
function reservedNameWarnings(configuration: KubeObject): readonly string[] {
  return hasReservedName(configuration) ? [`metadata.name: ${reserved}`] : [];
}

/** Rules that name only what webhooks are never asked about. */
function uselessRuleWarnings(configuration: KubeObject): readonly string[] {
  return objectsAt(configuration, 'webhooks').flatMap((webhook, index) =>
    objectsAt(webhook, 'rules').flatMap((rule, ruleIndex) =>
      excludedIn(rule).map(
        ({ group, resource }) =>
          `webhooks[${index}].rules[${ruleIndex}]: ${resource}.${group} is excluded from admission webhooks; this rule will have no effect`,
      ),
    ),
  );
}

function excludedIn(rule: JsonObject): readonly { group: string; resource: string }[] {
  const groups = [...new Set(textsAt(rule, 'apiGroups'))];
  const resources = [...new Set(textsAt(rule, 'resources'))];
  if (groups.includes('*') || resources.includes('*')) return [];
  return groups.flatMap((group) =>
    resources
      .filter((resource) => virtualResources.has(resourceKey(group, resource)))
      .map((resource) => ({ group, resource })),
  );
}

import { parseSelector, type Selector, selectEverything } from '@holdfast/base/labels/label-selector';
import type { KubeObject } from '../../objects.ts';
import type { MatchCondition } from './match-conditions.ts';
import { compileMatchCondition } from './match-conditions.ts';
import type { Rule } from './rule-match.ts';

/** Where a webhook listens. */
export type ClientConfig =
  | { readonly kind: 'url'; readonly url: string; readonly caBundle: string | undefined }
  | {
      readonly kind: 'service';
      readonly namespace: string;
      readonly name: string;
      readonly port: number;
      readonly path: string;
      readonly caBundle: string | undefined;
    };

/** One entry of a webhook configuration, ready to be matched and called. */
export interface Webhook {
  readonly name: string;
  /** Tells webhooks of the same name in two configurations apart. */
  readonly id: string;
  readonly client: ClientConfig;
  readonly rules: readonly Rule[];
  readonly ignoreFailures: boolean;
  readonly matchEquivalent: boolean;
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
  readonly conditions: readonly MatchCondition[];
  readonly sideEffectsOnDryRun: boolean;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly reinvoke: boolean;
}

/** The fields of both kinds of configuration, as they are stored after defaulting and validation. */
export interface StoredWebhook {
  readonly name: string;
  readonly clientConfig: StoredClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: unknown;
  readonly objectSelector?: unknown;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
}

export interface StoredClientConfig {
  readonly url?: string;
  readonly caBundle?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly port?: number;
    readonly path?: string;
  };
}

const defaultTimeoutSeconds = 10;
const defaultPort = 443;

export function compileConfiguration(configuration: KubeObject): readonly Webhook[] {
  const stored = (configuration['webhooks'] ?? []) as readonly StoredWebhook[];
  return stored.map((webhook, index) => compileWebhook(webhook, `${configuration.metadata.name}/${index}`));
}

function compileWebhook(stored: StoredWebhook, id: string): Webhook {
  return {
    name: stored.name,
    id,
    client: clientConfig(stored.clientConfig),
    rules: stored.rules ?? [],
    ignoreFailures: stored.failurePolicy === 'Ignore',
    matchEquivalent: stored.matchPolicy !== 'Exact',
    namespaceSelector: selector(stored.namespaceSelector),
    objectSelector: selector(stored.objectSelector),
    conditions: (stored.matchConditions ?? []).map(compileCondition),
    sideEffectsOnDryRun: stored.sideEffects !== 'None' && stored.sideEffects !== 'NoneOnDryRun',
    timeoutSeconds: stored.timeoutSeconds ?? defaultTimeoutSeconds,
    reviewVersions: stored.admissionReviewVersions ?? [],
    reinvoke: stored.reinvocationPolicy === 'IfNeeded',
  };
}

function clientConfig({ url, service, caBundle }: StoredClientConfig): ClientConfig {
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined;
  if (service) {
    const { namespace, name, port = defaultPort, path = '' } = service;
    return { kind: 'service', namespace, name, port, path, caBundle: ca };
  }
  return { kind: 'url', url: url ?? '', caBundle: ca };
}

function selector(source: unknown): Selector {
  if (source === undefined || source === null) return selectEverything;
  const result = parseSelector(source, 'selector');
  if (!result.ok) throw new Error('a stored webhook configuration has a selector that validation refuses');
  return result.value;
}

function compileCondition(stored: { readonly name: string; readonly expression: string }): MatchCondition {
  return { ...stored, compiled: compileMatchCondition(stored.expression) };
}

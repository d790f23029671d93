import { type Fields, isObject, isUnset } from '@holdfast/base/json';
import { parseSelector, type Selector, selectEverything } from '@holdfast/base/labels/label-selector';
import type { Reflected } from '../../kube/reflector/sink.ts';
import { splitPath } from '../../trust/path-segments.ts';
import type { AdmissionRule } from './rule-match.ts';

/** What is kept of a webhook configuration, of either kind. */
export interface ConfigurationView extends Reflected {
  readonly webhooks: readonly WebhookView[];
}

export interface WebhookView {
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  readonly failurePolicy: string;
  /** Undefined: it cannot be read, and may select any namespace. */
  readonly namespaces: Selector | undefined;
  /** Objects are selected by their labels, too. */
  readonly selectsObjects: boolean;
  /** API servers are told whom to trust. Whom is left out: it changes, and means nothing here. */
  readonly hasTrust: boolean;
  /** Of the Service it is called at, or empty. */
  readonly service: string;
  /** Of ours without the segment that proves API servers: it changes, and means nothing here. */
  readonly path: string;
}

/** Throws when there is no name. What else is missing is what the API server takes it for. */
export function projectConfiguration(object: Fields): ConfigurationView {
  const metadata = object['metadata'];
  if (!isObject(metadata) || typeof metadata['name'] !== 'string') throw new SyntaxError('an object has a name');
  const { name, uid, resourceVersion } = metadata;
  return {
    metadata: {
      name,
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
    webhooks: objects(object['webhooks']).map(projectWebhook),
  };
}

function projectWebhook(source: Fields): WebhookView {
  const client = fields(source['clientConfig']);
  const service = fields(client['service']);
  return {
    name: text(source['name']),
    rules: objects(source['rules']).map(projectRule),
    failurePolicy: text(source['failurePolicy'], 'Fail'),
    namespaces: selectorOf(source['namespaceSelector']),
    selectsObjects: selectorOf(source['objectSelector'])?.length !== 0,
    hasTrust: text(client['caBundle']) !== '',
    service: text(service['name']),
    path: basePath(text(service['path'], pathOf(text(client['url'])))),
  };
}

function projectRule(source: Fields): AdmissionRule {
  return {
    operations: texts(source['operations']),
    apiGroups: texts(source['apiGroups']),
    apiVersions: texts(source['apiVersions']),
    resources: texts(source['resources']),
    scope: text(source['scope'], '*'),
  };
}

/** One that is absent selects everything. */
function selectorOf(source: unknown): Selector | undefined {
  if (isUnset(source)) return selectEverything;
  const selector = parseSelector(source, 'selector');
  return selector.ok ? selector.value : undefined;
}

function basePath(path: string): string {
  return splitPath(path)?.base ?? path;
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : '';
}

function text(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function objects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

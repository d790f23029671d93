import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { dns1035Problem } from '../../schema/schema-names.ts';
import type { CrdConversion, WebhookClientConfig } from '../crd.ts';

const strategies = ['None', 'Webhook'];
const reviewVersions = ['v1', 'v1beta1'];

/** Fields are named as the real server names them inside, which is not quite how clients write them. */
export function conversionErrors(conversion: CrdConversion | undefined): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  if (!strategy) return [required('spec.conversion.strategy', '')];
  if (!strategies.includes(strategy)) return [notSupported('spec.conversion.strategy', strategy, strategies)];
  if (strategy === 'Webhook') {
    return [...clientConfigErrors(webhook?.clientConfig), ...reviewErrors(webhook?.conversionReviewVersions ?? [])];
  }
  const unwanted = 'should not be set when strategy is not set to Webhook';
  const errors: FieldError[] = [];
  if (webhook?.clientConfig) errors.push(forbidden('spec.conversion.webhookClientConfig', unwanted));
  if ((webhook?.conversionReviewVersions ?? []).length > 0) {
    errors.push(forbidden('spec.conversion.conversionReviewVersions', unwanted));
  }
  return errors;
}

function clientConfigErrors(config: WebhookClientConfig | undefined): FieldError[] {
  const field = 'spec.conversion.webhookClientConfig';
  if (!config) return [required(field, 'required when strategy is set to Webhook')];
  if ((config.url === undefined) === (config.service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  if (config.url !== undefined) return urlErrors(`${field}.url`, config.url);
  const { name, namespace, path, port } = config.service ?? { name: '', namespace: '' };
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.service.name`, 'service name is required'));
  if (!namespace) errors.push(required(`${field}.service.namespace`, 'service namespace is required'));
  if (path !== undefined && !path.startsWith('/')) {
    errors.push(invalid(`${field}.service.path`, path, "must start with a '/'"));
  }
  if (port !== undefined && (port < 1 || port > 65_535)) {
    errors.push(invalid(`${field}.service.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  return errors;
}

function urlErrors(field: string, text: string): FieldError[] {
  const form = 'desired format: https://host[/path]';
  if (!URL.canParse(text)) return [required(field, `url must be a valid URL: ${form}`)];
  const url = new URL(text);
  const errors: FieldError[] = [];
  if (url.protocol !== 'https:') {
    errors.push(invalid(field, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`));
  }
  if (url.hostname === '') errors.push(invalid(field, '', `host must be specified; ${form}`));
  if (url.username !== '') errors.push(invalid(field, url.username, 'user information is not permitted in the URL'));
  if (url.hash !== '') errors.push(invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL'));
  if (url.search !== '')
    errors.push(invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
}

function reviewErrors(versions: readonly string[]): FieldError[] {
  const field = 'spec.conversion.conversionReviewVersions';
  if (versions.length === 0) return [required(field, '')];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    const problem = dns1035Problem(version);
    if (versions.indexOf(version) < index) errors.push(invalid(`${field}[${index}]`, version, 'duplicate version'));
    else if (problem !== undefined) errors.push(invalid(`${field}[${index}]`, version, problem));
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(field, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return errors;
}

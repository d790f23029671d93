import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import { isThere, numberAt, objectAt, textAt } from '../../kinds/builtin/checks/read.ts';
import { dnsSubdomainProblems, portNumberProblems } from '../../kinds/builtin/checks/syntax.ts';
import type { JsonObject } from '../../objects.ts';

const urlForm = '; desired format: https://host[/path]';
const urlParts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** Where a webhook listens: exactly one of a URL and a service. */
export function clientConfigErrors(config: JsonObject | undefined, path: string): readonly FieldError[] {
  const hasUrl = isThere(config?.['url']);
  const service = objectAt(config, 'service');
  if (hasUrl === (service !== undefined)) return [required(path, 'exactly one of url or service is required')];
  return service ? serviceErrors(service, `${path}.service`) : urlErrors(textAt(config, 'url'), `${path}.url`);
}

function urlErrors(url: string, path: string): readonly FieldError[] {
  const parts = urlParts.exec(url);
  if (!parts) return [unparsable(path, url, 'invalid URL')];
  const [, scheme = '', authority = '', , query = '', fragment = ''] = parts;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const odd = /[\s"<>\\^`{|}]/.exec(host)?.[0];
  if (odd !== undefined) return [unparsable(path, url, `invalid character ${JSON.stringify(odd)} in host name`)];
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${urlForm}`));
  }
  if (host === '') errors.push(invalid(path, host, `host must be specified${urlForm}`));
  if (at >= 0) errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  if (errors.length === 0 && !URL.canParse(url)) errors.push(unparsable(path, url, 'invalid URL'));
  return errors;
}

function unparsable(path: string, url: string, why: string): FieldError {
  return required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: ${why}${urlForm}`);
}

function serviceErrors(service: JsonObject, path: string): readonly FieldError[] {
  const port = numberAt(service, 'port') ?? 0;
  const problems = portNumberProblems(port);
  return [
    // The real server mixes the two up: a missing namespace is reported as a missing name.
    ...(textAt(service, 'namespace') === '' ? [required(`${path}.name`, '')] : []),
    ...(textAt(service, 'name') === '' ? [required(`${path}.namespace`, '')] : []),
    ...(problems.length === 0 ? [] : [invalid(`${path}.port`, port, `port is not valid: ${problems.join(', ')}`)]),
    ...pathErrors(textAt(service, 'path'), `${path}.path`),
  ];
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const errors: FieldError[] = path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    const problems = segment === '' ? [' may not be empty'] : dnsSubdomainProblems(segment).map((text) => `: ${text}`);
    errors.push(...problems.map((problem) => invalid(field, path, `segment[${index}]${problem}`)));
  }
  return errors;
}

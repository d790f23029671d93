import { ApiError, forbidden } from '../errors.ts';
import { quote } from './go-quote.ts';
import type { Attributes } from './user.ts';

/** The 403 for what an authorizer does not allow. */
export function forbiddenError(attributes: Attributes, reason: string): ApiError {
  const why = reason === '' ? message(attributes) : `${message(attributes)}: ${reason}`;
  if ('path' in attributes) {
    return new ApiError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });
  }
  return forbidden(attributes, attributes.name, why);
}

function message(attributes: Attributes): string {
  const { user, verb } = attributes;
  if ('path' in attributes) return sanitized(`User ${quote(user.name)} cannot ${verb} path ${quote(attributes.path)}`);
  const { resource, subresource, group, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return sanitized(
    `User ${quote(user.name)} cannot ${verb} resource ${quote(what)} in API group ${quote(group)} ${where}`,
  );
}

/** The text may end up in a browser, and names come from clients. */
function sanitized(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

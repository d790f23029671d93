/** The grammar of label keys and values. Each function answers what is wrong, or nothing. */

const namePattern = /^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)$/;
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxName = 63;
const maxPrefix = 253;

export function labelKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string' || key === '') return 'name part must be non-empty';
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== undefined && (prefix === '' || prefix.length > maxPrefix || !prefixPattern.test(prefix))) {
    return `prefix part must be a lowercase DNS subdomain of at most ${maxPrefix} characters`;
  }
  if (name.length > maxName) return `name part must be no more than ${maxName} characters`;
  if (!namePattern.test(name))
    return 'name part must consist of letters, digits, -, _ or ., and start and end with a letter or digit';
  return undefined;
}

export function labelValueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value === '') return undefined;
  if (value.length > maxName) return `must be no more than ${maxName} characters`;
  if (!namePattern.test(value))
    return 'must consist of letters, digits, -, _ or ., and start and end with a letter or digit';
  return undefined;
}

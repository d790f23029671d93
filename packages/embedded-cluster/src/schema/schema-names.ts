/** Names as DNS has them, in the words of the real server. */

const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const label1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const maxLabel = 63;
const maxSubdomain = 253;

export function dns1035Problem(name: string): string | undefined {
  const problems: string[] = [];
  if (name.length > maxLabel) problems.push(`must be no more than ${maxLabel} characters`);
  if (!label1035.test(name)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems.length === 0 ? undefined : problems.join(',');
}

export function dns1123SubdomainProblem(name: string): string | undefined {
  const problems: string[] = [];
  if (name.length > maxSubdomain) problems.push(`must be no more than ${maxSubdomain} bytes`);
  if (!name.split('.').every((part) => label1123.test(part))) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return problems.length === 0 ? undefined : problems.join(',');
}

/** The grammars of names, keys and values. Every function lists what is wrong, in the API server's words. */

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${labelName})?`;
const percent = '[0-9]+%';
const configKey = '[-._a-zA-Z0-9]+';
const headerName = '[-A-Za-z0-9]+';

/** Names are tried only up to a length: see `fits`. */
const label1123Pattern = new RegExp(`^${label1123}$`);
const subdomain1123Pattern = new RegExp(`^${subdomain1123}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
const labelNamePattern = new RegExp(`^${labelName}$`);
const labelValuePattern = new RegExp(`^${labelValue}$`);
const percentPattern = new RegExp(`^${percent}$`);
const configKeyPattern = new RegExp(`^${configKey}$`);
const headerNamePattern = new RegExp(`^${headerName}$`);

const maxLabel = 63;
const maxSubdomain = 253;
const maxPortName = 15;
/** No name is longer; what is longer is wrong already, and patterns need not see all of it. */
const maxTried = 4096;

type Problems = readonly string[];

const fine: Problems = [];

function tooLong(limit: number): string {
  return `must be no more than ${limit} characters`;
}

function tooManyBytes(limit: number): string {
  return `must be no more than ${limit} bytes`;
}

function mismatch(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.length === 0 ? '' : `e.g. ${examples.map((example) => `'${example}'`).join(',  or ')}, `;
  return `${message} (${shown}regex used for validation is '${pattern}')`;
}

function fits(pattern: RegExp, value: string): boolean {
  return value.length <= maxTried && pattern.test(value);
}

export function outOfRange(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

export function dnsLabelProblems(value: string): Problems {
  if (value.length <= maxLabel && label1123Pattern.test(value)) return fine;
  const problems: string[] = [];
  if (value.length > maxLabel) problems.push(tooLong(maxLabel));
  if (fits(label1123Pattern, value)) return problems;
  if (fits(subdomain1123Pattern, value)) problems.push('must not contain dots');
  else
    problems.push(
      mismatch(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        label1123,
        'my-name',
        '123-abc',
      ),
    );
  return problems;
}

export function dnsSubdomainProblems(value: string): Problems {
  if (value.length <= maxSubdomain && subdomain1123Pattern.test(value)) return fine;
  const problems: string[] = [];
  if (value.length > maxSubdomain) problems.push(tooLong(maxSubdomain));
  if (!fits(subdomain1123Pattern, value))
    problems.push(
      mismatch(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        subdomain1123,
        'example.com',
      ),
    );
  return problems;
}

export function dns1035LabelProblems(value: string): Problems {
  if (value.length <= maxLabel && label1035Pattern.test(value)) return fine;
  const problems: string[] = [];
  if (value.length > maxLabel) problems.push(tooLong(maxLabel));
  if (!fits(label1035Pattern, value))
    problems.push(
      mismatch(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        label1035,
        'my-name',
        'abc-123',
      ),
    );
  return problems;
}

const labelKeyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function labelNameMismatch(): string {
  return mismatch(labelKeyMessage, labelName, 'MyName', 'my.name', '123-abc');
}

export function labelKeyProblems(value: string): Problems {
  const parts = value.split('/', 3);
  if (parts.length > 2) {
    return [
      `a valid label key ${labelNameMismatch()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts[parts.length - 1] ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [...(prefix === undefined ? fine : prefixProblems(prefix)), ...labelNameProblems(name)];
}

function prefixProblems(prefix: string): Problems {
  if (prefix === '') return ['prefix part must be non-empty'];
  return dnsSubdomainProblems(prefix).map((problem) => `prefix part ${problem}`);
}

function labelNameProblems(name: string): Problems {
  if (name.length <= maxLabel && labelNamePattern.test(name)) return fine;
  const problems: string[] = [];
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > maxLabel) problems.push(`name part ${tooManyBytes(maxLabel)}`);
  if (!fits(labelNamePattern, name)) problems.push(`name part ${labelNameMismatch()}`);
  return problems;
}

export function labelValueProblems(value: string): Problems {
  if (value.length <= maxLabel && labelValuePattern.test(value)) return fine;
  const problems: string[] = [];
  if (value.length > maxLabel) problems.push(tooManyBytes(maxLabel));
  if (!fits(labelValuePattern, value))
    problems.push(
      mismatch(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValue,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  return problems;
}

export function portNumberProblems(port: number): Problems {
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? fine : [outOfRange(1, 65_535)];
}

export function portNameProblems(name: string): Problems {
  const problems: string[] = [];
  if (name.length > maxPortName) problems.push(tooLong(maxPortName));
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

export function percentProblems(value: string): Problems {
  if (fits(percentPattern, value)) return fine;
  return [mismatch("a valid percent string must be a numeric string followed by an ending '%'", percent, '1%', '93%')];
}

/** Any printable ASCII but `=`. */
export function envNameProblems(name: string): Problems {
  if (name === '') return ['environment variable name must be non-empty'];
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) return fine;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function configKeyProblems(key: string): Problems {
  const problems: string[] = [];
  if (key.length > maxSubdomain) problems.push(tooLong(maxSubdomain));
  if (!fits(configKeyPattern, key))
    problems.push(
      mismatch(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configKey,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`);
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

export function headerNameProblems(name: string): Problems {
  if (fits(headerNamePattern, name)) return fine;
  return [mismatch("a valid HTTP header must consist of alphanumeric characters or '-'", headerName, 'X-Header-Name')];
}

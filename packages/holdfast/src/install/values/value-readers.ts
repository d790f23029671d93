import { isIP } from 'node:net';
import { type FieldError, forbidden, invalid, notSupported } from '@holdfast/base/field-errors';
import { isObject } from '@holdfast/base/json';
import { labelKeyProblem, labelValueProblem } from '@holdfast/base/labels/label-syntax';

/** As much of a JSON schema as describes values. */
export interface ValueSchema {
  readonly type?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ValueSchema;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: boolean | ValueSchema;
  readonly description?: string;
  readonly default?: unknown;
  /** What was replaced: no value is valid. */
  readonly not?: Readonly<Record<string, never>>;
}

/** Says what is wrong with a value. The schema says the same to other tools, as far as a schema can. */
export interface Reader {
  (value: unknown, field: string): readonly FieldError[];
  readonly schema: ValueSchema;
}

export function reader(schema: ValueSchema, read: (value: unknown, field: string) => readonly FieldError[]): Reader {
  return Object.assign((value: unknown, field: string) => read(value, field), { schema });
}

const maxItems = 100;
const maxText = 64 * 1024;

function matching(pattern: RegExp, maxLength: number, detail: string): Reader {
  return reader({ type: 'string', maxLength, pattern: pattern.source }, (value, field) =>
    typeof value === 'string' && value.length <= maxLength && pattern.test(value)
      ? []
      : [invalid(field, value, detail)],
  );
}

export const dnsLabel = matching(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  63,
  'must be at most 63 lowercase letters, digits and -, and start and end with a letter or digit',
);

export const subdomain = matching(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  253,
  'must be a lowercase DNS subdomain of at most 253 characters',
);

export const image = matching(/^[A-Za-z0-9][\w.:/@-]*$/, 500, 'must be the reference of an image');

export const pem = matching(/-----BEGIN CERTIFICATE-----/, maxText, 'must be certificates as PEM');

export const callerName = matching(/^[\x21-\x2b\x2d-\x7e]+$/, 253, 'must be a name without spaces and commas');

/** Coarser than the reader: an address of numbers and colons, and how many bits of it count. */
const cidrPattern =
  '^([0-9]{1,3}(\\.[0-9]{1,3}){3}/([0-9]|[12][0-9]|3[0-2])|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*/([0-9]{1,2}|1[01][0-9]|12[0-8]))$';

export const cidr = reader({ type: 'string', pattern: cidrPattern }, (value, field) => {
  const [address = '', bits = '', ...rest] = typeof value === 'string' ? value.split('/') : [];
  const family = isIP(address);
  const fits = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32);
  return family !== 0 && fits && rest.length === 0
    ? []
    : [invalid(field, value, 'must be a range of addresses, such as 10.0.0.7/32')];
});

const quantity = /^\d{1,15}(\.\d{1,9})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

/** Coarser than the readers: of a key only what it is made of. */
const keys = '^([-a-z0-9.]{1,253}/)?[A-Za-z0-9]([-\\w.]{0,61}[A-Za-z0-9])?$';

const quantitiesSchema: ValueSchema = {
  type: 'object',
  patternProperties: { [keys]: { type: 'string', pattern: quantity.source } },
  additionalProperties: false,
};

export const quantities = reader(quantitiesSchema, (value, field) => {
  if (!isObject(value)) return [invalid(field, value, 'must be a map from resources to amounts')];
  return Object.entries(value).flatMap(([resource, amount]) => {
    const problem = labelKeyProblem(resource);
    if (problem !== undefined) return [invalid(field, resource, problem)];
    if (typeof amount === 'string' && quantity.test(amount)) return [];
    return [invalid(`${field}.${resource}`, amount, 'must be an amount as text, such as "100m" or "256Mi"')];
  });
});

const labelsSchema: ValueSchema = {
  type: 'object',
  patternProperties: { [keys]: { type: 'string', pattern: '^([A-Za-z0-9]([-\\w.]{0,61}[A-Za-z0-9])?)?$' } },
  additionalProperties: false,
};

export const labels = reader(labelsSchema, (value, field) => {
  if (!isObject(value)) return [invalid(field, value, 'must be a map of labels')];
  return Object.entries(value).flatMap(([key, text]) => {
    const problem = labelKeyProblem(key) ?? labelValueProblem(text);
    return problem === undefined ? [] : [invalid(`${field}.${key}`, text, problem)];
  });
});

export const flag = reader({ type: 'boolean' }, (value, field) =>
  typeof value === 'boolean' ? [] : [invalid(field, value, 'must be true or false')],
);

/** A value of an earlier version: what it is called now. */
export function replaced(detail: string): Reader {
  return reader({ description: detail, not: {} }, (_, field) => [forbidden(field, detail)]);
}

export function choice(words: readonly string[]): Reader {
  return reader({ enum: words }, (value, field) =>
    typeof value === 'string' && words.includes(value) ? [] : [notSupported(field, value, words)],
  );
}

export function integerIn(lowest: number, highest: number): Reader {
  return reader({ type: 'integer', minimum: lowest, maximum: highest }, (value, field) =>
    typeof value === 'number' && Number.isInteger(value) && value >= lowest && value <= highest
      ? []
      : [invalid(field, value, `must be a whole number from ${lowest} to ${highest}`)],
  );
}

export function listReader(item: Reader): Reader {
  return reader({ type: 'array', maxItems, items: item.schema }, (value, field) => {
    if (!Array.isArray(value)) return [invalid(field, value, 'must be a list')];
    if (value.length > maxItems) return [invalid(field, value.length, `must have at most ${maxItems} items`)];
    return value.flatMap((one, index) => item(one, `${field}[${index}]`));
  });
}

/** API servers refuse a webhook's URL with a user, a query or a fragment; a path would stand before ours. */
export const httpsUrl = reader({ type: 'string', pattern: '^https://[^/?#@\\s]+/?$' }, (value, field) => {
  const detail = 'must be https://HOST or https://HOST:PORT, and nothing after it';
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const bare =
    url && url.protocol === 'https:' && url.host !== '' && (value === url.origin || value === `${url.origin}/`);
  return bare ? [] : [invalid(field, value, detail)];
});

/** A name or an address, as it stands in the `host` of a probe. */
export const hostName = matching(
  /^[A-Za-z0-9]([-A-Za-z0-9.:]*[A-Za-z0-9])?$/,
  253,
  'must be the name or address of a host',
);

const ownerKindSchema: ValueSchema = {
  type: 'object',
  properties: { group: subdomain.schema, resource: dnsLabel.schema },
  required: ['group', 'resource'],
  additionalProperties: false,
};

export const ownerKind = reader(ownerKindSchema, (value, field) => {
  if (!isObject(value)) return [invalid(field, value, 'must have group and resource')];
  return [
    ...subdomain(value['group'], `${field}.group`),
    ...dnsLabel(value['resource'], `${field}.resource`),
    ...Object.keys(value)
      .filter((key) => key !== 'group' && key !== 'resource')
      .map((key) => invalid(`${field}.${key}`, value[key], 'there are group and resource only')),
  ];
});

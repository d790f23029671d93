import { badRequest } from '../errors.ts';
import { quote } from './go-quote.ts';

/** Whom a request wants to be. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const extraPrefix = 'impersonate-extra-';

/**
 * Reads the Impersonate-* headers; undefined without them. Wants `headersDistinct` of the request: in `headers` Node
 * joins repeated ones, and a group may have a comma in its name.
 */
export function readImpersonation(headers: NodeJS.Dict<string[]>): WantedUser | undefined {
  const wanted: WantedUser = {
    name: headers['impersonate-user']?.[0] ?? '',
    uid: headers['impersonate-uid']?.[0] ?? '',
    groups: headers['impersonate-group'] ?? [],
    extra: readExtra(headers),
  };
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && wanted.extra.size === 0) return undefined;
  throw badRequest(`requested ${describe(wanted)} without impersonating a user name`);
}

function readExtra(headers: NodeJS.Dict<string[]>): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const [header, values] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix) || !values?.length) continue;
    const key = unescaped(header.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...values]);
  }
  return extra;
}

/** Keys are percent-encoded, as headers know fewer letters; what does not decode is taken as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Go's `%#v`, which is what the API server prints here. */
function describe({ name, uid, groups, extra }: WantedUser): string {
  const list = (items: readonly string[]) => `{${items.map(quote).join(', ')}}`;
  const extras = [...extra].map(([key, values]) => `${quote(key)}:[]string${list(values)}`).join(', ');
  const groupText = groups.length === 0 ? '[]string(nil)' : `[]string${list(groups)}`;
  const extraText = extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${extras}}`;
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}

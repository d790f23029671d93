import { quote } from '../auth/go-quote.ts';
import { badRequest } from '../errors.ts';
import type { RequestInfo } from './request-info.ts';

/** Requests that last as long as the client wants have no such limit, and their `timeout` is not read. */
const lasting = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Every answer here is given long before the client's time is up; still the client has to name a time. */
export function checkTimeout(info: RequestInfo, query: URLSearchParams): void {
  const text = query.get('timeout') ?? '';
  if (text === '' || (info.kind === 'resource' && (info.verb === 'watch' || lasting.has(info.subresource)))) return;
  const problem = durationProblem(text);
  if (problem !== undefined) throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

const part = /^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9.]*)/;
const units = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

function durationProblem(text: string): string | undefined {
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return `invalid duration ${quote(text)}`;
  while (rest !== '') {
    const [found, unit = ''] = part.exec(rest) ?? [];
    if (found === undefined) return `invalid duration ${quote(text)}`;
    if (unit === '') return `missing unit in duration ${quote(text)}`;
    if (!units.has(unit)) return `unknown unit ${quote(unit)} in duration ${quote(text)}`;
    rest = rest.slice(found.length);
  }
  return undefined;
}

import type { Requirement, Selector } from '@holdfast/base/labels/label-selector';
import { badRequest } from '../errors.ts';
import { labelKeyProblems, labelValueProblems } from '../kinds/builtin/checks/syntax.ts';

/** Longer selectors than any client has a use for are refused before they are parsed. */
const maxSelectorLength = 64 * 1024;

const tokenPattern = /\s*(?:(!=|==|=|>|<|!|,|\(|\))|([^\s!=<>,()]+))/y;
const operators = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);
const symbols = new Set(['!=', '==', '=', '>', '<', '!', ',', '(', ')']);

/** Reads the text form of a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function parseLabelSelector(text: string): Selector {
  if (text.length > maxSelectorLength)
    throw badRequest(`label selector is longer than ${maxSelectorLength} characters`);
  const reader = new Tokens(tokensOf(text));
  const selector: Requirement[] = [];
  while (reader.peek() !== '') {
    selector.push(requirement(reader));
    const next = reader.take();
    if (next === '') break;
    if (next !== ',') throw unparsable(`found '${next}', expected: ',' or 'end of string'`);
    if (reader.peek() === '') throw badRequest("found '', expected: identifier after ','");
  }
  return selector;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  for (tokenPattern.lastIndex = 0; tokenPattern.lastIndex < trimmed.length; ) {
    const match = tokenPattern.exec(trimmed);
    if (!match) break;
    tokens.push(match[1] ?? match[2] ?? '');
  }
  return tokens;
}

class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** '' at the end. */
  peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  take(): string {
    const token = this.peek();
    this.#at += 1;
    return token;
  }
}

function requirement(reader: Tokens): Requirement {
  if (reader.peek() === '!') {
    reader.take();
    return checked({ op: 'DoesNotExist', key: identifier(reader) });
  }
  const key = identifier(reader);
  const next = reader.peek();
  if (next === '' || next === ',') return checked({ op: 'Exists', key });
  reader.take();
  if (!operators.has(next)) throw unparsable(`found '${next}', expected: in, notin, =, ==, !=, gt, lt`);
  if (next === '>' || next === '<') throw unparsable(`the operator '${next}' is not supported`);
  if (next === 'in' || next === 'notin') {
    return checked({ op: next === 'in' ? 'In' : 'NotIn', key, values: valueSet(reader) });
  }
  return checked({ op: next === '!=' ? 'NotIn' : 'In', key, values: [exactValue(reader)] });
}

function identifier(reader: Tokens): string {
  const token = reader.take();
  if (token === '' || symbols.has(token)) throw unparsable(`found '${token}', expected: identifier`);
  return token;
}

/** `a=` and `a=,b` ask for an empty value. */
function exactValue(reader: Tokens): string {
  return reader.peek() === '' || reader.peek() === ',' ? '' : identifier(reader);
}

function valueSet(reader: Tokens): string[] {
  const open = reader.take();
  if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
  const values: string[] = [];
  for (let expectsValue = true; ; ) {
    const token = reader.take();
    if (token === ')') {
      if (expectsValue) values.push('');
      return [...new Set(values)].sort();
    }
    if (token === ',') {
      if (expectsValue) values.push('');
      expectsValue = true;
    } else if (token === '' || symbols.has(token) || !expectsValue) {
      throw unparsable(`found '${token}', expected: ',', or ')'`);
    } else {
      values.push(token);
      expectsValue = false;
    }
  }
}

function checked(of: Requirement): Requirement {
  const wrongKey = labelKeyProblems(of.key)[0];
  if (wrongKey !== undefined) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(of.key)}: ${wrongKey}`);
  for (const [index, value] of ('values' in of ? of.values : []).entries()) {
    const wrong = labelValueProblems(value)[0];
    if (wrong === undefined) continue;
    throw unparsable(`values[${index}][${of.key}]: Invalid value: ${JSON.stringify(value)}: ${wrong}`);
  }
  return of;
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadReview, readReview } from '../../../src/operator/admission/wire/review.ts';
import { evictionWish, podObject, reviewFields, reviewText, reviewUid } from './reviews.ts';

/** Everything that a reader can learn from a review. */
function seen(read: ReadReview): unknown {
  return read.ok ? read.request : read;
}

/** The objects and the dry run of a review, as JSON readers see them. */
function partsOf(text: string): unknown {
  const { object = null, oldObject = null, options = null, dryRun } = JSON.parse(text).request;
  return { object, oldObject, options, dryRun: dryRun === true };
}

const bytes = (text: string) => Buffer.from(text);

describe('a review as the API server writes it', () => {
  it.each([
    ['a DELETE', reviewText({ oldObject: podObject() })],
    ['an eviction', reviewText(evictionWish({ dryRun: ['All'] }))],
    ['a dry run', reviewText({ dryRun: true })],
    ['one with options', reviewText({ options: { kind: 'DeleteOptions', gracePeriodSeconds: 0 } })],
    [
      'strings that look like keys',
      reviewText({ object: podObject({ annotations: { a: ',"object":{},"dryRun":true}}' } }) }),
    ],
    [
      'a user whose name looks like a key',
      reviewText({ user: { username: 'x","object":null', groups: [',"object":'] } }),
    ],
    ['braces and quotes in strings', reviewText({ oldObject: podObject({ annotations: { a: '}}]"\\{[\\"' } }) })],
    ['other scripts', reviewText({ object: podObject({ annotations: { a: 'žluťoučký 🐎 \u2028' } }) })],
  ])('is read as it is: %s', (_, text) => {
    expect(seen(readReview(bytes(text)))).toMatchObject(partsOf(text) as object);
  });

  it('says who asks for what', () => {
    const text = reviewText({ ...evictionWish(), dryRun: true, options: { kind: 'CreateOptions' } });
    const read = readReview(bytes(text));
    expect(seen(read)).toMatchObject({
      uid: reviewUid,
      operation: 'CREATE',
      group: '',
      version: 'v1',
      resource: 'pods',
      subResource: 'eviction',
      name: 'web-0',
      namespace: 'shop',
      username: 'alice',
      groups: ['system:authenticated'],
      dryRun: true,
      object: { kind: 'Eviction' },
      oldObject: null,
      options: { kind: 'CreateOptions' },
    });
  });
});

const review = (request: string, head = '"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"') =>
  `{${head},"request":${request}}`;
const header = JSON.stringify(reviewFields()).slice(1, JSON.stringify(reviewFields()).indexOf(',"object":'));

describe('a review that is written in another way', () => {
  it('is read as JSON readers do, where a second request takes the place of the first', () => {
    const text = review(`{${header}},"request":{${header},"object":2}`);
    expect(seen(readReview(bytes(text)))).toMatchObject({ object: 2 });
  });

  it.each([
    ['a uid after the objects', review(`{${header},"object":null,"uid":"other"}`), { uid: 'other' }],
    ['an object twice', review(`{${header},"object":{"a":1},"object":{"a":2}}`), { object: { a: 2 } }],
    ['a dry run twice', review(`{${header},"object":null,"dryRun":true,"dryRun":false}`), { dryRun: false }],
    ['a dry run before the object', review(`{"dryRun":true,${header},"object":null}`), { dryRun: true }],
    ['a dry run with an escaped key', review(`{${header},"object":null,"dry\\u0052un":true}`), { dryRun: true }],
    ['an object with an escaped key', review(`{${header},"\\u006fbject":5}`), { object: 5 }],
    [
      'a second request',
      `${review(`{${header},"object":1}`).slice(0, -1)},"request":{${header},"object":2}}`,
      { object: 2 },
    ],
    ['another object that is open', review(`{${header}},"other":{"a":1,"object":5}`), { object: null }],
    [
      'a request under a false name',
      `{"x":{"uid":"y","object":1},${review(`{${header}}`).slice(1)}`,
      { uid: reviewUid },
    ],
    ['__proto__ as the open object', review(`{${header}},"__proto__":{"uid":"z","object":5}`), { object: null }],
    [
      'an object inside the user',
      review(`{${header.replace('"username"', '"a":1,"object":{"dryRun":true},"username"')}}`),
      { dryRun: false },
    ],
    ['spaces', JSON.stringify(JSON.parse(reviewText({ dryRun: true })), undefined, 2), { dryRun: true }],
    [
      'the request first',
      `{"request":{${header},"object":3},"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`,
      { object: 3 },
    ],
    ['null as the dry run', review(`{${header},"object":null,"dryRun":null}`), { dryRun: false }],
  ])('is read as JSON readers do: %s', (_, text, expected) => {
    expect(seen(readReview(bytes(text)))).toMatchObject(expected);
  });
});

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a body that is no review', () => {
  const wrong = (change: object) => review(JSON.stringify({ ...reviewFields(), ...change }));
  it.each([
    ['nothing', '', 'the body is not JSON'],
    ['something after the review', `${reviewText()}x`, 'the body is not JSON'],
    ['one brace too many', `${reviewText()}}`, 'the body is not JSON'],
    ['half a review', reviewText().slice(0, 100), 'the body is not JSON'],
    ['a list', '[]', 'the body must be a JSON object'],
    ['another kind', review('{"object":1}', '"kind":"Pod","apiVersion":"v1"'), 'kind must be AdmissionReview'],
    [
      'an old version',
      review('{}', '"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"'),
      'apiVersion must be admission.k8s.io/v1',
    ],
    ['no request', review('null'), 'request must be an object'],
    ['no uid', review('{"operation":"DELETE"}'), 'request.uid must be a string of 1 to 256 characters'],
    ['a long uid', wrong({ uid: 'x'.repeat(257) }), 'request.uid must be a string of 1 to 256 characters'],
  ])('is an error of the sender: %s', (_, text, problem) => {
    expect(readReview(bytes(text))).toEqual({ ok: false, problem });
  });

  it.each([
    ['an unknown operation', { operation: 'EAT' }, 'request.operation must be one of CREATE, UPDATE, DELETE, CONNECT'],
    ['no resource', { resource: null }, 'request.resource must be an object'],
    ['half a resource', { resource: { group: '', version: 'v1' } }, 'request.resource.resource must be a string'],
    ['a number as name', { name: 7 }, 'request.name must be a string'],
    ['no user', { userInfo: undefined }, 'request.userInfo must be an object'],
    ['a list as user name', { userInfo: { username: [] } }, 'request.userInfo.username must be a string'],
    ['groups that are none', { userInfo: { groups: [1] } }, 'request.userInfo.groups must be a list of strings'],
    ['a text as dry run', { dryRun: 'true' }, 'request.dryRun must be a boolean'],
  ])('is answered by its uid where it has one: %s', (_, change, problem) => {
    expect(readReview(bytes(wrong(change)))).toEqual({ ok: false, problem, uid: reviewUid });
  });

  it.each([
    ['the object', review(`{${header},"object":${deep(257)}}`)],
    ['the user', review(`{${header.replace('"username"', `"a":${deep(300)},"username"`)},"object":null}`)],
    ['the object, with keys in another order', review(`{"object":${deep(257)},${header}}`)],
    ['everything, a million times', '['.repeat(1_000_000)],
  ])('is refused when it is nested too deeply: %s', (_, text) => {
    const read = readReview(bytes(text));
    expect(read).toEqual({ ok: false, problem: 'the review is nested more than 256 levels deep' });
  });

  it('may be as deep as the limit', () => {
    expect(readReview(bytes(review(`{${header},"object":${deep(256)}}`)))).toMatchObject({ ok: true });
    expect(readReview(bytes(review(`{"object":${deep(256)},${header}}`)))).toMatchObject({ ok: true });
  });
});

/** Texts that a careless reader would take for keys. */
const trap = fc.constantFrom(',"object":', '"object":{}', '"dryRun":true', '\\', '"', '}}', ',"oldObject":null', '\\"');
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(trap, fc.string())).map((all) => all.join('')),
);
const hostileJson = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  hostileText,
  fc.jsonValue(),
  fc.dictionary(fc.oneof(hostileText, fc.constantFrom('object', 'dryRun', 'request', 'uid')), fc.jsonValue()),
);

/** A key as JSON can write it: plain, or with one letter escaped. */
const writtenKey = (key: string) =>
  fc.integer({ min: -12, max: key.length - 1 }).map((at) => {
    if (at < 0) return JSON.stringify(key);
    const code = key.charCodeAt(at).toString(16).padStart(4, '0');
    return `"${key.slice(0, at)}\\u${code}${key.slice(at + 1)}"`;
  });

const member = (key: string, value: fc.Arbitrary<unknown>) =>
  fc.tuple(writtenKey(key), value).map(([name, one]) => `${name}:${JSON.stringify(one)}`);

const partMember = fc.oneof(
  member('object', hostileJson),
  member('oldObject', hostileJson),
  member('options', hostileJson),
  member('dryRun', fc.oneof(fc.boolean(), hostileJson)),
);
const headerMember = fc.oneof(
  member('uid', fc.oneof(fc.constant('u1'), hostileText)),
  member('name', hostileText),
  member('operation', fc.constantFrom('DELETE', 'UPDATE', 'EAT')),
  member('userInfo', fc.record({ username: hostileText, groups: fc.array(hostileText), extra: hostileJson })),
  member('resource', fc.record({ group: hostileText, version: hostileText, resource: hostileText })),
);
const usualHeader = JSON.stringify(reviewFields()).slice(1, JSON.stringify(reviewFields()).indexOf(',"object":'));

const requestText = fc
  .tuple(
    fc.array(fc.oneof(headerMember, partMember), { maxLength: 3 }),
    fc.array(fc.oneof({ weight: 4, arbitrary: partMember }, headerMember), { maxLength: 6 }),
    fc.boolean(),
  )
  .map(([before, after, usual]) => `{${[...before, ...(usual ? [usualHeader] : []), ...after].join(',')}}`);

const topMember = fc.oneof(
  fc.constant('"kind":"AdmissionReview"'),
  fc.constant('"apiVersion":"admission.k8s.io/v1"'),
  requestText.map((text) => `"request":${text}`),
  requestText.map((text) => `"kind":${text}`),
  requestText.map((text) => `"other":${text}`),
);
const usualHead = '"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"';
const reviewOf = fc
  .tuple(
    fc.array(topMember, { maxLength: 2 }),
    requestText,
    fc.array(topMember, { maxLength: 2 }),
    fc.constantFrom('', ' ', '\n'),
  )
  .map(
    ([before, request, after, end]) => `{${[...before, usualHead, `"request":${request}`, ...after].join(',')}}${end}`,
  );
const plainReview = requestText.map((request) => `{${usualHead},"request":${request}}\n`);

describe('any review', () => {
  it('is read as JSON readers do, whatever the order of its keys and the texts in it', () => {
    let readable = 0;
    fc.assert(
      fc.property(fc.oneof(reviewOf, plainReview), (text) => {
        const read = readReview(bytes(text));
        if (!read.ok) return;
        readable += 1;
        expect(read.request).toMatchObject(partsOf(text) as object);
      }),
      { numRuns: 2_000 },
    );
    expect(readable).toBeGreaterThan(0);
  });

  it('that is damaged is refused, or is what JSON readers see', () => {
    const damage = fc.record({ at: fc.nat(2_000), cut: fc.nat(3), put: fc.oneof(trap, fc.string({ maxLength: 2 })) });
    fc.assert(
      fc.property(fc.oneof(plainReview, reviewOf), damage, (text, { at, cut, put }) => {
        const place = at % text.length;
        const damaged = text.slice(0, place) + put + text.slice(place + cut);
        const read = readReview(bytes(damaged));
        if (read.ok) expect(read.request).toMatchObject(partsOf(bytes(damaged).toString()) as object);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expect(readReview(Buffer.from(noise)).ok).toBe(false);
      }),
    );
  });
});

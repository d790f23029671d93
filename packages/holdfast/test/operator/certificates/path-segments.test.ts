import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import {
  bare,
  isAmong,
  type ListedSegment,
  maxSegments,
  newSegment,
  noPathsSeen,
  observePaths,
  type PathSightings,
  planPaths,
  readSegments,
  segmentsText,
  splitPath,
} from '../../../src/trust/path-segments.ts';
import { segmentsOf, withTrust } from '../../../src/trust/webhook-trust.ts';

const now = 1_000_000_000_000;
const one = 'a'.repeat(64);
const two = 'b'.repeat(64);
const made = 'c'.repeat(64);

function plan(listed: readonly ListedSegment[], carried: readonly string[], seen: Partial<PathSightings> = {}) {
  const sightings = { ...observePaths(noPathsSeen, listed, new Set(carried), 'v', now), ...seen };
  const { list, publish } = planPaths({ listed, carried: new Set(carried), seen: sightings }, () => made, now, policy);
  return { list: list?.map(({ segment }) => segment), publish };
}

const listed = (segment: string, ageMs = 0): ListedSegment => ({ segment, madeMs: now - ageMs });

describe('[I13] the path segments of a leader', () => {
  it.each<readonly [string, ReturnType<typeof plan>, ReturnType<typeof plan>]>([
    [
      'there is none: one is made, and not published before it was read back',
      plan([], []),
      { list: [made], publish: undefined },
    ],
    ['one is there: it is published', plan([listed(one)], []), { list: undefined, publish: one }],
    ['it is carried: nothing changes', plan([listed(one)], [one]), { list: undefined, publish: one }],
    [
      'a configuration carries the bare path: that is listed before it is replaced',
      plan([], [bare]),
      { list: [made, bare], publish: undefined },
    ],
    [
      'a configuration carries what the Secret lost: that is listed before it is replaced',
      plan([listed(one)], [two]),
      { list: [one, two], publish: undefined },
    ],
    ['the replaced one stays listed', plan([listed(one), listed(two)], [one]), { list: undefined, publish: one }],
    [
      'no configuration has carried it for ten minutes: it is dropped',
      plan([listed(one), listed(two)], [one], { unused: new Map([[two, now - policy.pathGraceMs]]) }),
      { list: [one], publish: one },
    ],
    [
      'it is carried again: it is kept, however long it was not',
      plan([listed(one), listed(two)], [one, two]),
      { list: undefined, publish: one },
    ],
    [
      'it is a day old: another is made',
      plan([listed(one, policy.pathLifetimeMs)], [one], { sinceMs: 0 }),
      { list: [made, one], publish: one },
    ],
    [
      'it is from before this leader: another is made',
      plan([listed(one, 2 * policy.settleMs)], [one]),
      { list: [made, one], publish: one },
    ],
    [
      'another leader made it a moment ago: it is good',
      plan([listed(one, policy.settleMs)], [one]),
      { list: undefined, publish: one },
    ],
    [
      'it is of a time that has not come: another is made',
      plan([listed(one, -2 * policy.skewMs)], [one]),
      { list: [made, one], publish: one },
    ],
  ])('%s', (_, planned, wanted) => {
    expect(planned).toEqual(wanted);
  });

  it('are not more than the Secret has room for, and those that are carried stay', () => {
    const many = Array.from({ length: maxSegments }, () => listed(newSegment(randomBytes), 2 * policy.settleMs));
    const last = many.at(-1)?.segment ?? '';
    const { list = [] } = plan(many, [last]);
    expect(list).toHaveLength(maxSegments);
    expect(list[0]).toBe(made);
    expect(list).toContain(last);
  });

  it('are read as they were written; what is no segment is left out', () => {
    const all = [listed(one), { segment: bare, madeMs: 0 }];
    expect(readSegments(segmentsText(all))).toEqual(all);
    expect(readSegments(`short 1\n${one} x\n- 5\n`)).toEqual([{ segment: bare, madeMs: 5 }]);
  });
});

describe('[I13] a path', () => {
  it.each([
    [`/${one}/pods`, { segment: one, base: '/pods' }],
    ['/pods', { segment: bare, base: '/pods' }],
    [`/${one}0/pods`, undefined],
    [`/${one.toUpperCase()}/pods`, undefined],
    [`/${one}/pods/`, undefined],
    [`//pods`, undefined],
    [`/${one}/`, undefined],
    ['', undefined],
  ])('%s is split', (path, wanted) => {
    expect(splitPath(path)).toEqual(wanted);
  });

  it('proves only with a whole segment', () => {
    expect(isAmong(one, [two, one])).toBe(true);
    for (const wrong of [bare, one.slice(1), two.slice(0, 63), made]) expect(isAmong(wrong, [one, two])).toBe(false);
    expect(isAmong(bare, [bare])).toBe(true);
    expect(isAmong(bare, ['\0'.repeat(64)])).toBe(false);
  });

  it('is written beside the authority, by a Service and by a URL, and paths of others are left alone', () => {
    const before = {
      webhooks: [
        { clientConfig: { caBundle: 'eA==', service: { name: 'holdfast', path: '/pods' } } },
        { clientConfig: { caBundle: 'eA==', url: `https://10.0.0.7:9443/${two}/probes` } },
        { clientConfig: { caBundle: 'eA==', url: 'https://10.0.0.7/other' } },
        { clientConfig: { service: { name: 'holdfast', path: `/${made}/pods` } } },
      ],
    };
    const after = withTrust(before, { authorities: undefined, segment: one });
    expect(after?.webhooks.map(({ clientConfig }) => clientConfig)).toEqual([
      { caBundle: 'eA==', service: { name: 'holdfast', path: `/${one}/pods` } },
      { caBundle: 'eA==', url: `https://10.0.0.7:9443/${one}/probes` },
      { caBundle: 'eA==', url: 'https://10.0.0.7/other' },
      { service: { name: 'holdfast', path: `/${one}/pods` } },
    ]);
    // What cannot be called, because nothing is trusted, carries nothing.
    expect(segmentsOf(before)).toEqual([bare, two]);
  });
});

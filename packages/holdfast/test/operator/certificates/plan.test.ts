import { describe, expect, it } from 'vitest';
import { confirms, mayServe } from '../../../src/operator/certificates/serving.ts';
import {
  type CertificatePolicy,
  defaultCertificatePolicy as policy,
  policyProblems,
} from '../../../src/trust/certificate-policy.ts';
import {
  type CertificateFacts,
  type LeafFacts,
  maxAuthorities,
  type Observed,
  planCertificates,
  type StoredCertificates,
} from '../../../src/trust/rotation-plan.ts';

const day = 24 * 60 * 60 * 1000;
const now = 1_000 * day;

function authority(id: string, fromDays = -1, toDays = 700): CertificateFacts {
  return { id, pem: `${id}\n`, notBeforeMs: now + fromDays * day, notAfterMs: now + toDays * day };
}

function leafOf(issuer: string | undefined, more: Partial<LeafFacts> = {}): LeafFacts {
  return { ...authority('leaf', -1, 80), issuer, covers: true, ...more };
}

const a = authority('a');
const b = authority('b');
const good: StoredCertificates = { trusted: [a], signer: 'a', signerLimited: true, leaf: leafOf('a') };
const rotating: StoredCertificates = { trusted: [b, a], signer: 'b', signerLimited: true, leaf: leafOf('a') };

function seenWith(published: readonly CertificateFacts[], agoMs = day, leafAgoMs = 0): Observed {
  return {
    everywhere: new Map(published.map(({ id }) => [id, now - agoMs])),
    anywhere: published,
    leafSinceMs: now - leafAgoMs,
  };
}

const nothing = seenWith([]);

describe('what to do with the certificates', () => {
  it.each<readonly [string, StoredCertificates | undefined, Observed, object]>([
    [
      'no Secret, nothing published: all at once',
      undefined,
      nothing,
      { kind: 'addAuthority', why: 'none', withLeaf: true },
    ],
    [
      'no Secret, but an authority is trusted: that stays, and the leaf waits',
      undefined,
      seenWith([a]),
      { kind: 'addAuthority', retain: [a], withLeaf: false },
    ],
    [
      'an authority that ended long ago is no reason to wait',
      undefined,
      seenWith([authority('old', -900, -2)]),
      { kind: 'addAuthority', retain: [], withLeaf: true },
    ],
    ['all is well', good, seenWith([a]), { kind: 'keep' }],
    [
      'the key is lost',
      { ...good, signer: undefined },
      seenWith([a]),
      { kind: 'addAuthority', why: 'none', retain: [a] },
    ],
    [
      'the authority ends within its time for renewal',
      { trusted: [authority('a', -600, 179)], signer: 'a', signerLimited: true, leaf: leafOf('a') },
      seenWith([a]),
      { kind: 'addAuthority', why: 'ending', withLeaf: false },
    ],
    [
      'it does not yet',
      { trusted: [authority('a', -600, 181)], signer: 'a', signerLimited: true, leaf: leafOf('a') },
      seenWith([a]),
      { kind: 'keep' },
    ],
    [
      'the authority is of an earlier version, or is limited to other names',
      { ...good, signerLimited: false },
      seenWith([a]),
      { kind: 'addAuthority', why: 'names', retain: [a], withLeaf: false },
    ],
    [
      'a clock that is half an hour ahead is tolerated',
      { ...good, trusted: [authority('a', 0.5 / 24)] },
      seenWith([a]),
      { kind: 'keep' },
    ],
    [
      'one that is two hours ahead is not',
      { ...good, trusted: [authority('a', 2 / 24)] },
      seenWith([a]),
      { kind: 'addAuthority', why: 'future' },
    ],
    ['the leaf is missing', { ...good, leaf: undefined }, seenWith([a]), { kind: 'issueLeaf', why: 'none' }],
    [
      'the leaf ends',
      { ...good, leaf: leafOf('a', { notAfterMs: now + 29 * day }) },
      seenWith([a]),
      { kind: 'issueLeaf', why: 'ending' },
    ],
    [
      'the names changed',
      { ...good, leaf: leafOf('a', { covers: false }) },
      seenWith([a]),
      { kind: 'issueLeaf', why: 'names' },
    ],
    [
      'the leaf is of the future',
      { ...good, leaf: leafOf('a', { notBeforeMs: now + day }) },
      seenWith([a]),
      { kind: 'issueLeaf', why: 'future' },
    ],
    ['a new authority is not published yet', rotating, seenWith([a]), { kind: 'keep' }],
    ['it is, but API servers may not know', rotating, seenWith([a, b], policy.settleMs - 1), { kind: 'keep' }],
    ['they do', rotating, seenWith([a, b], policy.settleMs), { kind: 'issueLeaf', why: 'issuer' }],
    [
      'the new leaf is there, replicas may serve the old one',
      { ...rotating, leaf: leafOf('b') },
      seenWith([a, b], day, policy.pickupMs - 1),
      { kind: 'keep' },
    ],
    [
      'no authority can any more',
      { ...rotating, leaf: leafOf('b') },
      seenWith([a, b], day, policy.pickupMs),
      { kind: 'dropAuthorities', ids: ['a'] },
    ],
    [
      'an old authority that has ended goes at once',
      { trusted: [b, authority('a', -800, -1)], signer: 'b', signerLimited: true, leaf: leafOf('b') },
      seenWith([a, b]),
      { kind: 'dropAuthorities', ids: ['a'] },
    ],
  ])('%s', (_name, stored, seen, step) => {
    expect(planCertificates(stored, seen, now, policy).step).toMatchObject(step);
  });

  it('publishes what the Secret trusts, and touches nothing while there is no Secret', () => {
    expect(planCertificates(rotating, nothing, now, policy).bundle).toEqual([b, a]);
    expect(planCertificates(undefined, seenWith([a]), now, policy).bundle).toBeUndefined();
    expect(planCertificates({ ...good, trusted: [], signer: undefined }, nothing, now, policy).bundle).toBeUndefined();
  });

  it('looks again when something is due, and often enough to stay confirmed', () => {
    const at = (stored: StoredCertificates, seen: Observed) =>
      planCertificates(stored, seen, now, policy).againMs - now;
    expect(at(good, seenWith([a]))).toBe(policy.confirmWithinMs);
    expect(at(rotating, seenWith([a, b], policy.settleMs - 7))).toBe(7);
    expect(at({ ...rotating, leaf: leafOf('b') }, seenWith([a, b], day, policy.pickupMs - 9))).toBe(9);
  });

  it('keeps a limited number of authorities, and among them the one that is served by', () => {
    const many = Array.from({ length: 40 }, (_, index) => authority(`old-${index}`, -1, 100 + index));
    const stored: StoredCertificates = {
      trusted: many,
      signer: undefined,
      signerLimited: false,
      leaf: leafOf('old-0'),
    };
    const { step } = planCertificates(stored, nothing, now, policy);
    const retained = step.kind === 'addAuthority' ? step.retain.map(({ id }) => id) : [];
    expect(retained).toHaveLength(maxAuthorities - 1);
    expect(retained.slice(0, 2)).toEqual(['old-0', 'old-39']);
  });
});

describe('whether a replica may serve', () => {
  const leaf = leafOf('a');
  it.each([
    ['just confirmed', now, now, true],
    ['confirmed not too long ago', now - policy.confirmWithinMs, now, true],
    ['not confirmed for too long', now - policy.confirmWithinMs - 1, now, false],
    ['the leaf has ended', leaf.notAfterMs, leaf.notAfterMs, false],
  ])('%s', (_name, confirmedMs, at, expected) => {
    expect(mayServe(leaf, confirmedMs, at, policy)).toBe(expected);
  });

  it('a Secret confirms leaves of the authorities that it trusts, whether it has a leaf or not', () => {
    expect(confirms(rotating, leafOf('a'))).toBe(true);
    expect(confirms({ ...rotating, leaf: undefined }, leafOf('a'))).toBe(true);
    expect(confirms(rotating, leafOf('c'))).toBe(false);
    expect(confirms(rotating, leafOf(undefined))).toBe(false);
    expect(confirms(undefined, leafOf('a'))).toBe(false);
  });
});

describe('a policy', () => {
  it('is fine as it comes', () => {
    expect(policyProblems(policy)).toEqual([]);
  });

  it.each<readonly [Partial<CertificatePolicy>, RegExp]>([
    [{ leafLifetimeMs: -1 }, /whole number/],
    [{ leafRenewBeforeMs: policy.leafLifetimeMs }, /a leaf must last longer/],
    [{ authorityLifetimeMs: policy.authorityRenewBeforeMs }, /an authority must last longer/],
    [{ authorityRenewBeforeMs: policy.leafLifetimeMs }, /outlives the leaves/],
    [{ leafRenewBeforeMs: policy.pickupMs }, /renewed early enough/],
    [{ pickupMs: policy.confirmWithinMs }, /without looking at the Secret/],
  ])('with %j is refused', (change, problem) => {
    expect(policyProblems({ ...policy, ...change }).join('\n')).toMatch(problem);
  });
});

import { describe, expect, it } from 'vitest';
import { webhookNames } from '../../../src/operator/certificates/names.ts';
import { isTrusted, type Serving, shouldAdopt } from '../../../src/operator/certificates/serving.ts';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import type { CertificateFacts, LeafFacts } from '../../../src/trust/rotation-plan.ts';

const now = 1_000_000_000;
const facts = (id: string): CertificateFacts => ({ id, pem: id, notBeforeMs: 0, notAfterMs: now + 1_000 });
const leaf = (id: string, issuer: string | undefined, notAfterMs = now + 1_000): LeafFacts => ({
  ...facts(id),
  notAfterMs,
  issuer,
  covers: true,
});
const serving = (issuer: string, more: Partial<Serving> = {}): Serving => ({
  leaf: leaf('old', issuer),
  confirmedMs: now,
  ...more,
});
const a = [facts('a')];
const b = [facts('b')];
const both = [...a, ...b];

describe('what is trusted', () => {
  it.each<readonly [string, boolean, readonly (readonly CertificateFacts[])[]]>([
    ['by all', true, [a, both]],
    ['by one of two', false, [a, b]],
    ['by none, because a bundle is empty', false, [a, []]],
    ['where no API server calls', true, []],
  ])('%s: %s', (_, expected, bundles) => expect(isTrusted('a', bundles)).toBe(expected));
});

describe('a replica', () => {
  type Bundles = readonly (readonly CertificateFacts[])[] | undefined;
  it.each<readonly [string, boolean, LeafFacts, Serving | undefined, Bundles]>([
    ['takes the first one, trusted or not', true, leaf('new', 'b'), undefined, [a]],
    ['takes one that all trust', true, leaf('new', 'b'), serving('a'), [both, both]],
    ['does not take the one that it has', false, leaf('old', 'a'), serving('a'), [both]],
    ['does not take an unsigned one', false, leaf('new', undefined), undefined, undefined],
    ['does not take one that has ended', false, leaf('new', 'b', now), serving('a'), [both]],
    ['keeps what is trusted before what is not yet', false, leaf('new', 'b'), serving('a'), [a, both]],
    ['leaves what is trusted no more than the new one', true, leaf('new', 'b'), serving('a'), [[]]],
    ['leaves what has ended', true, leaf('new', 'b'), serving('a', { leaf: leaf('old', 'a', now) }), [a]],
    [
      'leaves what the Secret has not confirmed for long',
      true,
      leaf('new', 'b'),
      serving('a', { confirmedMs: now - policy.confirmWithinMs - 1 }),
      [a],
    ],
    ['that cannot tell who is trusted goes by the Secret', true, leaf('new', 'b'), serving('a'), undefined],
  ])('%s: %s', (_, expected, candidate, current, bundles) => {
    expect(shouldAdopt(candidate, current, bundles, now, policy)).toBe(expected);
  });
});

describe('the names of the webhooks', () => {
  const service = ['holdfast.ours.svc', 'holdfast.ours.svc.cluster.local'];
  it.each([
    [undefined, { dnsNames: service, addresses: [] }],
    ['https://10.0.0.7:9443', { dnsNames: [...service, 'localhost'], addresses: ['10.0.0.7', '127.0.0.1', '::1'] }],
    ['https://127.0.0.1:9443', { dnsNames: [...service, 'localhost'], addresses: ['127.0.0.1', '::1'] }],
    ['https://lb.example.:1', { dnsNames: [...service, 'lb.example', 'localhost'], addresses: ['127.0.0.1', '::1'] }],
  ])('called by %s', (url, expected) => expect(webhookNames('ours', url)).toEqual(expected));
});

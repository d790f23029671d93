import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { createServiceAccountTokens } from '../../src/auth/tokens/service-account-tokens.ts';
import { reviewToken } from '../../src/auth/tokens/token-review.ts';
import type { User } from '../../src/auth/user.ts';
import type { KubeObject } from '../../src/objects.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { FakeView } from './fake-view.ts';

const issuer = 'https://kubernetes.default.svc.cluster.local';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const account = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'robot', namespace: 'prod', uid: 'sa-1' },
};
const clock = new VirtualClock();
const serviceAccounts = createServiceAccountTokens({
  view: new FakeView([['serviceaccounts', account]]),
  clock,
  random: seededRandom(3),
  signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const staticTokens = new Map<string, User>([['abcdef', { name: 'operator', groups: ['system:masters'] }]]);
const authenticator = createAuthenticator({ staticTokens, serviceAccounts });
const jane: User = { name: 'jane', groups: ['developers'] };

function robotToken(audiences: readonly string[] = []): string {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: '' },
    spec: { audiences },
  };
  return (serviceAccounts.issue('prod', 'robot', request)['status'] as { token: string }).token;
}

describe('a request comes from', () => {
  const robot = 'system:serviceaccount:prod:robot';
  test.each<[string, User | undefined, string | undefined, string | undefined]>([
    ['no user without credentials', undefined, undefined, undefined],
    ['the holder of a certificate', jane, undefined, 'jane'],
    ['the holder of a handed out token', undefined, 'Bearer abcdef', 'operator'],
    ['whatever the scheme is spelled like', undefined, '  bEARER abcdef ', 'operator'],
    ['a service account', undefined, `Bearer ${robotToken()}`, robot],
    ['the certificate before the token', jane, 'Bearer abcdef', 'jane'],
    ['the certificate, whatever the token', jane, 'Bearer wrong', 'jane'],
    ['no user with a wrong token', undefined, 'Bearer wrong', undefined],
    ['no user with an empty token', undefined, 'Bearer ', undefined],
    ['no user with two spaces', undefined, 'Bearer  abcdef', undefined],
    ['no user with another scheme', undefined, 'Basic abcdef', undefined],
    ['no user with a token for another audience', undefined, `Bearer ${robotToken(['vault'])}`, undefined],
    ['no user with a token called like a property', undefined, 'Bearer __proto__', undefined],
  ])('%s', (_, certificate, authorization, name) => {
    const user = authenticator.authenticate({ certificate, authorization });
    expect(user?.name).toBe(name);
    expect(user === undefined || user.groups.at(-1) === 'system:authenticated').toBe(true);
  });
});

describe('a TokenReview', () => {
  function status(spec: Record<string, unknown>): Record<string, unknown> {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec };
    return reviewToken(review as unknown as KubeObject, authenticator)['status'] as Record<string, unknown>;
  }

  test('tells whose token it is', () => {
    expect(status({ token: robotToken() })).toEqual({
      authenticated: true,
      audiences: [issuer],
      user: {
        username: 'system:serviceaccount:prod:robot',
        uid: 'sa-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:prod', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
      },
    });
    expect(status({ token: 'abcdef' })).toEqual({
      authenticated: true,
      audiences: [issuer],
      user: { username: 'operator', groups: ['system:masters', 'system:authenticated'] },
    });
  });

  test.each([
    [
      'the audience asked for',
      { token: robotToken(['vault', 'x']), audiences: ['vault'] },
      { authenticated: true, audiences: ['vault'] },
    ],
    [
      'another audience',
      { token: robotToken(['vault']), audiences: ['x'] },
      {
        user: {},
        error: '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["x"]]',
      },
    ],
    [
      'a handed out token for another audience',
      { token: 'abcdef', audiences: ['x'] },
      { user: {}, error: 'invalid bearer token' },
    ],
    ['a token of no user', { token: 'x' }, { user: {}, error: 'invalid bearer token' }],
  ])('of %s', (_, spec, expected) => {
    expect(status(spec)).toMatchObject(expected);
  });

  test('without a token is refused', () => {
    expect(() => status({})).toThrow('token is required for TokenReview in authentication');
  });

  test('of an expired token says so', async () => {
    const token = robotToken();
    await clock.advance(2 * 3_600_000);
    expect(status({ token })['error']).toBe('[invalid bearer token, service account token has expired]');
  });
});

import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { jwtKey } from '../../src/auth/tokens/jwt.ts';
import {
  createServiceAccountTokens,
  type ServiceAccountTokens,
  type TokenVerdict,
} from '../../src/auth/tokens/service-account-tokens.ts';
import { isApiError } from '../../src/errors.ts';
import type { KubeObject } from '../../src/objects.ts';
import { timestamp } from '../../src/time/clock.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { FakeView } from './fake-view.ts';

const signingKey = newKey();
const publicKey = createPublicKey(signingKey).export({ type: 'spki', format: 'pem' });
const issuer = 'https://kubernetes.default.svc.cluster.local';
let clock: VirtualClock;
let view: FakeView;
let tokens: ServiceAccountTokens;

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function thing(kind: string, name: string, uid: string, content: Record<string, unknown> = {}): KubeObject {
  const metadata = kind === 'Node' ? { name, uid } : { name, uid, namespace: 'prod' };
  return { apiVersion: 'v1', kind, metadata, ...content };
}

beforeEach(() => {
  clock = new VirtualClock();
  view = new FakeView([
    ['serviceaccounts', thing('ServiceAccount', 'robot', 'sa-1')],
    ['pods', thing('Pod', 'web', 'pod-1', { spec: { serviceAccountName: 'robot', nodeName: 'node-a' } })],
    ['pods', thing('Pod', 'other', 'pod-2', { spec: { serviceAccountName: 'default' } })],
    ['secrets', thing('Secret', 'hidden', 'secret-1')],
    ['nodes', thing('Node', 'node-a', 'node-1')],
  ]);
  tokens = createServiceAccountTokens({ view, clock, random: seededRandom(7), signingKey });
});

function request(spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec } as unknown as KubeObject;
}

function tokenFor(spec: Record<string, unknown> = {}): string {
  return (tokens.issue('prod', 'robot', request(spec))['status'] as { token: string }).token;
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
}

function why(verdict: TokenVerdict): string {
  return verdict.kind === 'refused' ? verdict.why : verdict.kind;
}

const boundToPod = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'pod-1' } };

describe('a token', () => {
  test('is for an hour and for the API server, unless asked otherwise', () => {
    const answer = tokens.issue('prod', 'robot', request());
    expect(answer).toMatchObject({
      kind: 'TokenRequest',
      metadata: { name: 'robot', namespace: 'prod', uid: 'sa-1' },
      spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: timestamp(clock.now() + 3_600_000) },
    });
    const now = clock.now() / 1000;
    expect(claimsOf((answer['status'] as { token: string }).token)).toEqual({
      iss: issuer,
      sub: 'system:serviceaccount:prod:robot',
      aud: [issuer],
      exp: now + 3600,
      iat: now,
      nbf: now,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'robot', uid: 'sa-1' } },
    });
  });

  test('makes its bearer the service account', () => {
    const token = tokenFor();
    expect(tokens.verify(token)).toEqual({
      kind: 'genuine',
      audiences: [issuer],
      user: {
        name: 'system:serviceaccount:prod:robot',
        uid: 'sa-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:prod'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(token)['jti']}`] },
      },
    });
  });

  test('that is bound to a pod tells of the pod and its node', () => {
    const verdict = tokens.verify(tokenFor(boundToPod));
    expect(verdict.kind === 'genuine' && verdict.user.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['web'],
      'authentication.kubernetes.io/pod-uid': ['pod-1'],
      'authentication.kubernetes.io/node-name': ['node-a'],
      'authentication.kubernetes.io/node-uid': ['node-1'],
    });
  });

  test('ends with its time, and a minute of grace', async () => {
    const token = tokenFor({ expirationSeconds: 600 });
    await clock.advance(660_000);
    expect(tokens.verify(token).kind).toBe('genuine');
    await clock.advance(1000);
    expect(why(tokens.verify(token))).toBe('service account token has expired');
  });

  test('of a pod volume lives for a year although it says an hour', async () => {
    const answer = tokens.issue('prod', 'robot', request({ ...boundToPod, expirationSeconds: 3607 }));
    const { token, expirationTimestamp } = answer['status'] as { token: string; expirationTimestamp: string };
    expect(expirationTimestamp).toBe(timestamp(clock.now() + 3_607_000));
    expect(claimsOf(token)['kubernetes.io']).toMatchObject({ warnafter: clock.now() / 1000 + 3607 });
    await clock.advance(300 * 864e5);
    expect(tokens.verify(token).kind).toBe('genuine');
  });

  test('from the future is not valid yet', async () => {
    await clock.advance(3_600_000);
    const token = tokenFor();
    const earlier = createServiceAccountTokens({
      view,
      clock: new VirtualClock(),
      random: seededRandom(1),
      signingKey,
    });
    expect(why(earlier.verify(token))).toBe('service account token is not valid yet');
  });

  test('stays good over a restart with the same key', () => {
    const token = tokenFor();
    const restarted = createServiceAccountTokens({ view, clock, random: seededRandom(8), signingKey });
    expect(restarted.verify(token).kind).toBe('genuine');
  });
});

describe('a token ends with', () => {
  test.each([
    ['its account', {}, 'serviceaccounts', 'prod', 'robot', 'serviceaccounts "robot" not found'],
    ['its pod', boundToPod, 'pods', 'prod', 'web', 'service account token has been invalidated'],
    [
      'its secret',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'hidden' } },
      'secrets',
      'prod',
      'hidden',
      'service account token has been invalidated',
    ],
    [
      'its node',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'node-a' } },
      'nodes',
      '',
      'node-a',
      'service account token has been invalidated',
    ],
  ])('%s', (_, spec, resource, namespace, name, text) => {
    const token = tokenFor(spec);
    expect(tokens.verify(token).kind).toBe('genuine');
    view.remove(resource, namespace, name);
    expect(why(tokens.verify(token))).toBe(text);
  });

  test('its account, also when there is a new one of the same name', () => {
    const token = tokenFor();
    view.put('serviceaccounts', thing('ServiceAccount', 'robot', 'sa-2'));
    expect(why(tokens.verify(token))).toBe('service account UID (sa-2) does not match claim (sa-1)');
  });

  test('its pod, also when there is a new one of the same name', () => {
    const token = tokenFor(boundToPod);
    view.put('pods', thing('Pod', 'web', 'pod-9'));
    expect(why(tokens.verify(token))).toBe('pod UID (pod-9) does not match service account pod ref claim (pod-1)');
  });

  test('a pod that has been terminating for more than a minute', async () => {
    const token = tokenFor(boundToPod);
    const pod = thing('Pod', 'web', 'pod-1');
    view.put('pods', { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timestamp(clock.now()) } });
    await clock.advance(60_000);
    expect(tokens.verify(token).kind).toBe('genuine');
    await clock.advance(1000);
    expect(why(tokens.verify(token))).toBe('service account token has been invalidated');
  });

  test('but not with the node of its pod', () => {
    const token = tokenFor(boundToPod);
    view.remove('nodes', '', 'node-a');
    expect(tokens.verify(token).kind).toBe('genuine');
  });
});

describe('what is not genuine', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each<[string, (token: string) => string, string]>([
    [
      'changed claims',
      (token) => {
        const [head, , signature] = token.split('.');
        return `${head}.${encode({ ...claimsOf(token), sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`;
      },
      'refused',
    ],
    ['no algorithm and no signature', (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`, 'refused'],
    [
      'no algorithm with the old signature',
      (token) => `${encode({ alg: 'none' })}.${token.split('.').slice(1).join('.')}`,
      'refused',
    ],
    [
      'the public key used as a shared secret',
      (token) => {
        const signed = `${encode({ alg: 'HS256' })}.${token.split('.')[1]}`;
        return `${signed}.${createHmac('sha256', publicKey).update(signed).digest('base64url')}`;
      },
      'refused',
    ],
    ['the key of another cluster', (token) => jwtKey(newKey()).sign(claimsOf(token)), 'refused'],
    [
      'no kid, another key',
      (token) => {
        const [, body, signature] = jwtKey(newKey()).sign(claimsOf(token)).split('.');
        return `${encode({ alg: 'ES256' })}.${body}.${signature}`;
      },
      'refused',
    ],
    ['a cut signature', (token) => token.slice(0, -4), 'refused'],
    ['a signature spelled differently', (token) => `${token}=`, 'refused'],
    [
      'another issuer',
      (token) => jwtKey(signingKey).sign({ ...claimsOf(token), iss: 'https://example.com' }),
      'foreign',
    ],
    ['claims that are missing', () => jwtKey(signingKey).sign({ iss: issuer, aud: [issuer] }), 'refused'],
    ['claims that are no object', (token) => `${token.split('.')[0]}.${encode([issuer])}.x`, 'foreign'],
    ['two parts', (token) => token.split('.').slice(0, 2).join('.'), 'foreign'],
    ['four parts', (token) => `${token}.x`, 'foreign'],
    ['something that is no JSON', () => 'a.b.c', 'foreign'],
    ['nothing', () => '', 'foreign'],
    ['a megabyte', (token) => `${token}${'A'.repeat(1_000_000)}`, 'foreign'],
  ])('%s', (_, forge, kind) => {
    expect(tokens.verify(forge(tokenFor())).kind).toBe(kind);
  });

  test('another algorithm, even under a genuine signature', () => {
    const signed = `${encode({ alg: 'none' })}.${tokenFor().split('.')[1]}`;
    const signature = sign('sha256', Buffer.from(signed), { key: signingKey, dsaEncoding: 'ieee-p1363' });
    expect(tokens.verify(`${signed}.${signature.toString('base64url')}`).kind).toBe('refused');
  });

  test('a token for another audience', () => {
    const token = tokenFor({ audiences: ['vault', 'mail'] });
    expect(why(tokens.verify(token))).toBe(
      `token audiences ["vault" "mail"] is invalid for the target audiences ["${issuer}"]`,
    );
    expect(tokens.verify(token, ['mail', 'db'])).toMatchObject({ kind: 'genuine', audiences: ['mail'] });
  });

  test('a key on another curve is refused at the start', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => jwtKey(pem)).toThrow('must be on the curve P-256');
  });
});

describe('a request is refused', () => {
  const bound = (ref: Record<string, unknown>) => request({ boundObjectRef: { apiVersion: 'v1', ...ref } });
  test.each<[string, KubeObject, number, string]>([
    [
      'for less than ten minutes',
      request({ expirationSeconds: 599 }),
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'for more than 2^32 seconds',
      request({ expirationSeconds: 2 ** 32 + 1 }),
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      'with the name of another account',
      request({}, { name: 'x' }),
      422,
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    [
      'with another namespace',
      request({}, { namespace: 'x' }),
      422,
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.namespace: Invalid value: "x": must match the service account namespace if specified',
    ],
    [
      'for an account of before',
      request({}, { uid: 'sa-0' }),
      409,
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (sa-0) does not match the UID of the service account (sa-1)',
    ],
    ['for a pod that is not there', bound({ kind: 'Pod', name: 'gone' }), 404, 'pods "gone" not found'],
    [
      'for a pod of another account',
      bound({ kind: 'Pod', name: 'other' }),
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      'for a pod of before',
      bound({ kind: 'Pod', name: 'web', uid: 'pod-0' }),
      409,
      'Operation cannot be fulfilled on Pod "web": the UID in the bound object reference (pod-0) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      'for a kind that tokens are not bound to',
      bound({ kind: 'ConfigMap', name: 'web' }),
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
  ])('%s', (_, asked, code, text) => {
    try {
      tokens.issue('prod', 'robot', asked);
      expect.unreachable();
    } catch (error) {
      expect(isApiError(error, code) && error.message).toBe(text);
    }
  });

  test('for an account that is not there', () => {
    expect(() => tokens.issue('prod', 'absent', request())).toThrow('serviceaccounts "absent" not found');
  });
});

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Fields, isObject } from '@holdfast/base/json';

/** JSON Web Tokens with one algorithm, ES256, so that a token has no say in how it is checked. */
export interface JwtKey {
  sign(claims: Fields): string;
  /** The claims of a token that this key signed; undefined for everything else. */
  open(token: string): Fields | undefined;
}

/** No token of ours comes near; larger ones are not worth hashing. */
const maxTokenLength = 64 * 1024;

/** Tokens whose signature was found to be genuine: a client sends the same one with every request. Some MiB at most. */
const maxKnownTokens = 1_000;

export function jwtKey(privateKeyPem: string): JwtKey {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Error('the key of service accounts must be on the curve P-256');
  }
  const publicKey = createPublicKey(privateKey);
  const id = keyId(publicKey);
  const header = encode({ alg: 'ES256', kid: id });
  const genuine = new Map<string, Fields>();
  return {
    sign(claims) {
      const signed = `${header}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    open(token) {
      const claims = genuine.get(token) ?? open(token, publicKey, id);
      if (claims === undefined) return undefined;
      if (genuine.size >= maxKnownTokens) genuine.clear();
      genuine.set(token, claims);
      return claims;
    },
  };
}

function open(token: string, publicKey: KeyObject, id: string): Fields | undefined {
  if (token.length > maxTokenLength) return undefined;
  const [head, body, signature, ...rest] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
  const header = decode(head);
  if (header?.['alg'] !== 'ES256') return undefined;
  if (header['kid'] !== undefined && header['kid'] !== id) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  // Buffer skips what is not base64url: another spelling of the same bytes is another token.
  if (bytes.toString('base64url') !== signature) return undefined;
  const genuine = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes,
  );
  return genuine ? decode(body) : undefined;
}

/** What the token claims, without a check of its signature. Never a reason to trust it. */
export function unverifiedClaims(token: string): Fields | undefined {
  if (token.length > maxTokenLength) return undefined;
  const parts = token.split('.');
  return parts.length === 3 ? decode(parts[1] as string) : undefined;
}

function keyId(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

function encode(value: Fields): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { type Fields, isObject } from '@holdfast/base/json';

export interface ClaimedObject {
  readonly name: string;
  readonly uid: string;
}

/** What a service account's token says. Times are seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: ClaimedObject;
    readonly pod?: ClaimedObject;
    readonly secret?: ClaimedObject;
    readonly node?: ClaimedObject;
    readonly warnafter?: number;
  };
}

/** Only reads what our own key has signed; still, an older release may have signed something else. */
export function readClaims(claims: Fields): TokenClaims | undefined {
  const { iss, sub, aud, exp, iat, nbf, jti } = claims;
  const bound = claims['kubernetes.io'];
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof jti !== 'string' || !isObject(bound))
    return undefined;
  if (typeof exp !== 'number' || typeof iat !== 'number' || typeof nbf !== 'number') return undefined;
  if (!Array.isArray(aud) || !aud.every((audience) => typeof audience === 'string')) return undefined;
  const { namespace } = bound;
  const serviceaccount = claimedObject(bound['serviceaccount']);
  if (typeof namespace !== 'string' || !serviceaccount) return undefined;
  return { iss, sub, aud, exp, iat, nbf, jti, 'kubernetes.io': { namespace, serviceaccount, ...boundObjects(bound) } };
}

function boundObjects(bound: Fields): Pick<TokenClaims['kubernetes.io'], 'pod' | 'secret' | 'node'> {
  const pod = claimedObject(bound['pod']);
  const secret = claimedObject(bound['secret']);
  const node = claimedObject(bound['node']);
  return { ...(pod && { pod }), ...(secret && { secret }), ...(node && { node }) };
}

function claimedObject(value: unknown): ClaimedObject | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string') return undefined;
  return { name: value['name'], uid: typeof value['uid'] === 'string' ? value['uid'] : '' };
}

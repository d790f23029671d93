import type { KubeObject } from '../../objects.ts';
import type { Clock } from '../../time/clock.ts';
import { type Random, randomUid } from '../../time/random.ts';
import type { View } from '../../view.ts';
import { quoteList } from '../go-quote.ts';
import { credentialIdKey, nodeNameKey, serviceAccountGroups, serviceAccountName } from '../identities.ts';
import type { User } from '../user.ts';
import { jwtKey, unverifiedClaims } from './jwt.ts';
import { type ClaimedObject, readClaims, type TokenClaims } from './token-claims.ts';
import { grantToken } from './token-request.ts';

export interface ServiceAccountTokenOptions {
  readonly view: View;
  readonly clock: Clock;
  /** Names tokens; the same name twice does no harm. */
  readonly random: Random;
  /** PEM, on the curve P-256. */
  readonly signingKey: string;
  readonly issuer?: string;
  readonly audiences?: readonly string[];
}

export interface ServiceAccountTokens {
  /** Of the API server itself. */
  readonly audiences: readonly string[];
  /** Creates `serviceaccounts/token`: the TokenRequest with its status. Refusals are thrown as ApiError. */
  issue(namespace: string, name: string, request: KubeObject): KubeObject;
  /** Groups are those of the account alone; who asks adds `system:authenticated`. Without audiences: the server's own. */
  verify(token: string, audiences?: readonly string[]): TokenVerdict;
}

export type TokenVerdict =
  | { readonly kind: 'genuine'; readonly user: User; readonly audiences: readonly string[] }
  /** Not a token of this issuer at all: another authenticator may know it. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'refused'; readonly why: string };

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Clocks of others may be off by this much, in seconds; what was deleted this long ago may still be in use. */
const leeway = 60;

export function createServiceAccountTokens(options: ServiceAccountTokenOptions): ServiceAccountTokens {
  const { view, clock, random } = options;
  const key = jwtKey(options.signingKey);
  const issuer = options.issuer ?? defaultIssuer;
  const own = options.audiences ?? [issuer];
  return {
    audiences: own,
    issue(namespace, name, request) {
      const terms = { view, nowMs: clock.now(), issuer, audiences: own, tokenId: randomUid(random) };
      const granted = grantToken({ namespace, name, request }, terms);
      return granted.answer(key.sign({ ...granted.claims }));
    },
    verify(token, audiences = own) {
      if (unverifiedClaims(token)?.['iss'] !== issuer) return { kind: 'foreign' };
      const opened = key.open(token);
      const claims = opened && readClaims(opened);
      if (!claims) return { kind: 'refused', why: 'invalid signature, no keys found' };
      const shared = claims.aud.filter((audience) => audiences.includes(audience));
      if (shared.length === 0) {
        const why = `token audiences ${quoteList(claims.aud)} is invalid for the target audiences ${quoteList(audiences)}`;
        return { kind: 'refused', why };
      }
      const why = timeProblem(claims, clock.now()) ?? objectProblem(claims, view, clock.now());
      return why === undefined
        ? { kind: 'genuine', user: userOf(claims), audiences: shared }
        : { kind: 'refused', why };
    },
  };
}

function timeProblem({ exp, nbf, iat }: TokenClaims, nowMs: number): string | undefined {
  const now = nowMs / 1000;
  if (now + leeway < nbf) return 'service account token is not valid yet';
  if (now - leeway > exp) return 'service account token has expired';
  if (now + leeway < iat) return 'service account token is issued in the future';
  return undefined;
}

/** A token ends with the account it is for and the object it is bound to. */
function objectProblem(claims: TokenClaims, view: View, nowMs: number): string | undefined {
  const { namespace, serviceaccount, secret, pod, node } = claims['kubernetes.io'];
  const account = view.get('serviceaccounts', namespace, serviceaccount.name);
  if (!account) return `serviceaccounts "${serviceaccount.name}" not found`;
  const uid = account.metadata.uid ?? '';
  if (uid !== serviceaccount.uid) return `service account UID (${uid}) does not match claim (${serviceaccount.uid})`;
  if (isGone(account, nowMs)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  const boundTo = (what: string, resource: string, within: string, claimed: ClaimedObject | undefined) =>
    claimed && boundProblem(what, view.get(resource, within, claimed.name), claimed, nowMs);
  return (
    boundTo('secret', 'secrets', namespace, secret) ??
    boundTo('pod', 'pods', namespace, pod) ??
    // The node of a pod is information; only a token for the node itself ends with it.
    (pod ? undefined : boundTo('node', 'nodes', '', node))
  );
}

function boundProblem(
  what: string,
  object: KubeObject | undefined,
  claimed: ClaimedObject,
  nowMs: number,
): string | undefined {
  if (!object) return 'service account token has been invalidated';
  const uid = object.metadata.uid ?? '';
  if (uid !== claimed.uid)
    return `${what} UID (${uid}) does not match service account ${what} ref claim (${claimed.uid})`;
  return isGone(object, nowMs) ? 'service account token has been invalidated' : undefined;
}

function isGone({ metadata: { deletionTimestamp } }: KubeObject, nowMs: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - leeway * 1000;
}

function userOf(claims: TokenClaims): User {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  return {
    name: serviceAccountName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    extra: {
      [credentialIdKey]: [`JTI=${claims.jti}`],
      ...(node ? { [nodeNameKey]: [node.name] } : {}),
      ...(node?.uid ? { 'authentication.kubernetes.io/node-uid': [node.uid] } : {}),
      ...(pod
        ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] }
        : {}),
    },
  };
}

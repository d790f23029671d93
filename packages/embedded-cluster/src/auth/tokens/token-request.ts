import { type FieldError, invalid } from '@holdfast/base/field-errors';
import { badRequest, conflict, invalidObject, notFound } from '../../errors.ts';
import { type KubeObject, splitApiVersion } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import type { View } from '../../view.ts';
import { quote } from '../go-quote.ts';
import { serviceAccountName } from '../identities.ts';
import type { ClaimedObject, TokenClaims } from './token-claims.ts';

interface TokenRequestSpec {
  audiences?: string[];
  expirationSeconds?: number;
  boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  attestations?: Record<string, unknown>;
}

export interface TokenRequestInput {
  readonly namespace: string;
  /** Of the service account, as it stands in the path. */
  readonly name: string;
  readonly request: KubeObject;
}

export interface TokenTerms {
  readonly view: View;
  readonly nowMs: number;
  readonly issuer: string;
  /** Of the API server: what a token is for when the request does not say. */
  readonly audiences: readonly string[];
  readonly tokenId: string;
}

export interface GrantedToken {
  readonly claims: TokenClaims;
  answer(token: string): KubeObject;
}

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;
/** What a pod's own volume asks for. Such tokens live longer than asked, for clients that read the file only once. */
const injectedSeconds = 3607;
const extendedSeconds = 365 * 24 * 60 * 60;

/** Decides what a requested token says. Refusals are thrown as ApiError. */
export function grantToken(input: TokenRequestInput, terms: TokenTerms): GrantedToken {
  const { namespace, name, request } = input;
  checkNames(input);
  const account = terms.view.get('serviceaccounts', namespace, name);
  if (!account) throw notFound({ group: '', resource: 'serviceaccounts' }, name);
  const uid = account.metadata.uid ?? '';
  const claimedUid = request.metadata?.uid;
  if (claimedUid && claimedUid !== uid) {
    const why = `the UID in the token request (${claimedUid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: kind.group, resource: kind.kind }, name, why);
  }
  const spec = (request['spec'] ?? {}) as TokenRequestSpec;
  const seconds = spec.expirationSeconds ?? defaultSeconds;
  const errors = specErrors(spec, seconds);
  if (errors.length > 0) throw invalidObject(kind, '', errors);
  const audiences = spec.audiences?.length ? spec.audiences : terms.audiences;
  const bound = boundObject(spec, input, terms.view);
  const claims = claimsFor({ namespace, name, uid }, bound, audiences, seconds, terms);
  return {
    claims,
    answer: (token) => answer(input, uid, { ...spec, audiences: [...audiences] }, seconds, token, terms),
  };
}

function checkNames({ namespace, name, request }: TokenRequestInput): void {
  const metadata = request.metadata as Partial<KubeObject['metadata']> | undefined;
  if (metadata?.name && metadata.name !== name) {
    const why = 'must match the service account name if specified';
    throw invalidObject(kind, name, [invalid('metadata.name', metadata.name, why)]);
  }
  if (metadata?.namespace && metadata.namespace !== namespace) {
    const why = 'must match the service account namespace if specified';
    throw invalidObject(kind, name, [invalid('metadata.namespace', metadata.namespace, why)]);
  }
}

function specErrors({ attestations }: TokenRequestSpec, seconds: number): readonly FieldError[] {
  if (attestations && Object.keys(attestations).length > 0) {
    const why = 'attestations may only be specified with a webhook bound object reference';
    return [invalid('spec.attestations', attestations, why)];
  }
  const field = 'spec.expirationSeconds';
  if (seconds < minSeconds) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > maxSeconds) return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

type Bound = Pick<TokenClaims['kubernetes.io'], 'pod' | 'secret' | 'node'>;

function boundObject({ boundObjectRef: ref }: TokenRequestSpec, input: TokenRequestInput, view: View): Bound {
  if (!ref) return {};
  const { group, version } = splitApiVersion(ref.apiVersion ?? '');
  const find = (resource: string, namespace: string): ClaimedObject & { object: KubeObject } => {
    const object = view.get(resource, namespace, ref.name ?? '');
    if (!object) throw notFound({ group: '', resource }, ref.name ?? '');
    const uid = object.metadata.uid ?? '';
    return { object, name: object.metadata.name, uid };
  };
  if (group === '' && ref.kind === 'Pod') {
    const { object, name, uid } = find('pods', input.namespace);
    const { serviceAccountName: runsAs, nodeName } = (object['spec'] ?? {}) as Record<string, string | undefined>;
    if (runsAs !== input.name) {
      throw badRequest(
        `cannot bind token for serviceaccount ${quote(input.name)} to pod running with different serviceaccount name.`,
      );
    }
    checkUid(ref, uid);
    return { pod: { name, uid }, ...(nodeName ? { node: nodeClaim(nodeName, view) } : {}) };
  }
  if (group === '' && (ref.kind === 'Secret' || ref.kind === 'Node')) {
    const { name, uid } = ref.kind === 'Secret' ? find('secrets', input.namespace) : find('nodes', '');
    checkUid(ref, uid);
    return ref.kind === 'Secret' ? { secret: { name, uid } } : { node: { name, uid } };
  }
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${ref.kind ?? ''}`);
}

function checkUid(ref: NonNullable<TokenRequestSpec['boundObjectRef']>, uid: string): void {
  if (!ref.uid || ref.uid === uid) return;
  const why = `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: '', resource: ref.kind ?? '' }, ref.name ?? '', why);
}

/** A pod may run on a node that is gone already; its name still goes into the token. */
function nodeClaim(name: string, view: View): ClaimedObject {
  return { name, uid: view.get('nodes', '', name)?.metadata.uid ?? '' };
}

function claimsFor(
  account: { namespace: string; name: string; uid: string },
  bound: Bound,
  audiences: readonly string[],
  seconds: number,
  terms: TokenTerms,
): TokenClaims {
  const { namespace, name, uid } = account;
  const now = Math.floor(terms.nowMs / 1000);
  const ours = audiences.every((audience) => terms.audiences.includes(audience));
  const extended = bound.pod !== undefined && seconds === injectedSeconds && ours;
  return {
    iss: terms.issuer,
    sub: serviceAccountName(namespace, name),
    aud: audiences,
    exp: now + (extended ? extendedSeconds : seconds),
    iat: now,
    nbf: now,
    jti: terms.tokenId,
    'kubernetes.io': {
      namespace,
      serviceaccount: { name, uid },
      ...bound,
      ...(extended ? { warnafter: now + seconds } : {}),
    },
  };
}

function answer(
  { namespace, name, request }: TokenRequestInput,
  uid: string,
  spec: TokenRequestSpec,
  seconds: number,
  token: string,
  { nowMs }: TokenTerms,
): KubeObject {
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: kind.kind,
    metadata: { ...request.metadata, name, namespace, uid, creationTimestamp: timestamp(nowMs) },
    spec: { ...spec, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(nowMs + seconds * 1000) },
  };
}

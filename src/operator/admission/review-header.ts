import { type Fields, isObject, isUnset } from '../../api/json.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What a review says besides its objects. */
export interface ReviewHeader {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty: the resource itself. */
  readonly subResource: string;
  /** Empty in a deletecollection, and in a create whose name the server chooses. */
  readonly name: string;
  readonly namespace: string;
  readonly username: string;
  readonly groups: readonly string[];
  readonly dryRun: boolean;
}

export type ReadHeader =
  | { readonly ok: true; readonly header: ReviewHeader }
  /** With a uid the answer can be a review; without one it is an HTTP error. */
  | { readonly ok: false; readonly problem: string; readonly uid?: string };

/** The API server's are 36 characters long. */
const maxUid = 256;

const operations: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

export function readHeader(review: unknown, dryRun: unknown): ReadHeader {
  if (!isObject(review)) return { ok: false, problem: 'the body must be a JSON object' };
  const request = own(review, 'request');
  const uid = isObject(request) ? uidOf(request) : undefined;
  const bad = (problem: string): ReadHeader => ({ ok: false, problem, ...(uid === undefined ? {} : { uid }) });
  if (own(review, 'kind') !== 'AdmissionReview') return bad('kind must be AdmissionReview');
  if (own(review, 'apiVersion') !== 'admission.k8s.io/v1') return bad('apiVersion must be admission.k8s.io/v1');
  if (!isObject(request)) return bad('request must be an object');
  if (uid === undefined) return bad(`request.uid must be a string of 1 to ${maxUid} characters`);
  const problem = shapeProblem(request, dryRun);
  return problem === undefined ? { ok: true, header: headerOf(request, uid, dryRun === true) } : bad(problem);
}

function uidOf(request: Fields): string | undefined {
  const uid = own(request, 'uid');
  return typeof uid === 'string' && uid !== '' && uid.length <= maxUid ? uid : undefined;
}

function shapeProblem(request: Fields, dryRun: unknown): string | undefined {
  if (!operations.includes(own(request, 'operation')))
    return `request.operation must be one of ${operations.join(', ')}`;
  const resource = own(request, 'resource');
  if (!isObject(resource)) return 'request.resource must be an object';
  for (const key of ['group', 'version', 'resource']) {
    if (typeof own(resource, key) !== 'string') return `request.resource.${key} must be a string`;
  }
  for (const key of ['subResource', 'name', 'namespace']) {
    if (!isOptionalText(own(request, key))) return `request.${key} must be a string`;
  }
  if (!isUnset(dryRun) && typeof dryRun !== 'boolean') return 'request.dryRun must be a boolean';
  return userProblem(own(request, 'userInfo'));
}

function userProblem(user: unknown): string | undefined {
  if (!isObject(user)) return 'request.userInfo must be an object';
  if (!isOptionalText(own(user, 'username'))) return 'request.userInfo.username must be a string';
  const groups = own(user, 'groups');
  const fine = isUnset(groups) || (Array.isArray(groups) && groups.every((group) => typeof group === 'string'));
  return fine ? undefined : 'request.userInfo.groups must be a list of strings';
}

/** The shape has been checked. */
function headerOf(request: Fields, uid: string, dryRun: boolean): ReviewHeader {
  const resource = own(request, 'resource') as Fields;
  const user = own(request, 'userInfo') as Fields;
  return {
    uid,
    operation: own(request, 'operation') as AdmissionOperation,
    group: text(own(resource, 'group')),
    version: text(own(resource, 'version')),
    resource: text(own(resource, 'resource')),
    subResource: text(own(request, 'subResource')),
    name: text(own(request, 'name')),
    namespace: text(own(request, 'namespace')),
    username: text(own(user, 'username')),
    groups: (own(user, 'groups') ?? []) as readonly string[],
    dryRun,
  };
}

function isOptionalText(value: unknown): boolean {
  return isUnset(value) || typeof value === 'string';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function own(source: Fields, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

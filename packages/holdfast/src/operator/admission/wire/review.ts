import { type Fields, isObject, isUnset } from '@holdfast/base/json';

/** AdmissionReview (admission.k8s.io/v1) <-> our types. Nothing in a review is trusted. */

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What an API server asks an admission webhook. */
export interface ReviewRequest {
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
  /** The three objects are null where the review has none, as the API server writes it. Their shape is not checked. */
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly options: unknown;
}

export type ReadReview =
  | { readonly ok: true; readonly request: ReviewRequest }
  /** With a uid the answer can be a review; without one it is an HTTP error. */
  | { readonly ok: false; readonly problem: string; readonly uid?: string };

/** The API server's are 36 characters long. */
const maxUid = 256;

const operations: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** Reads the body of a call to an admission webhook. */
export function readReview(bytes: Buffer): ReadReview {
  if (isNestedTooDeeply(bytes)) {
    return { ok: false, problem: `the review is nested more than ${maxDepth} levels deep` };
  }
  const review = parse(bytes.toString('utf8'));
  if (review === undefined) return { ok: false, problem: 'the body is not JSON' };
  if (!isObject(review)) return { ok: false, problem: 'the body must be a JSON object' };
  const request = own(review, 'request');
  const uid = isObject(request) ? uidOf(request) : undefined;
  const bad = (problem: string): ReadReview => ({ ok: false, problem, ...(uid === undefined ? {} : { uid }) });
  if (own(review, 'kind') !== 'AdmissionReview') return bad('kind must be AdmissionReview');
  if (own(review, 'apiVersion') !== 'admission.k8s.io/v1') return bad('apiVersion must be admission.k8s.io/v1');
  if (!isObject(request)) return bad('request must be an object');
  if (uid === undefined) return bad(`request.uid must be a string of 1 to ${maxUid} characters`);
  const problem = shapeProblem(request);
  return problem === undefined ? { ok: true, request: requestOf(request, uid) } : bad(problem);
}

/** Undefined: it is not JSON. No JSON text means undefined. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function uidOf(request: Fields): string | undefined {
  const uid = own(request, 'uid');
  return typeof uid === 'string' && uid !== '' && uid.length <= maxUid ? uid : undefined;
}

function shapeProblem(request: Fields): string | undefined {
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
  const dryRun = own(request, 'dryRun');
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
function requestOf(request: Fields, uid: string): ReviewRequest {
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
    dryRun: own(request, 'dryRun') === true,
    object: own(request, 'object') ?? null,
    oldObject: own(request, 'oldObject') ?? null,
    options: own(request, 'options') ?? null,
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

/** Deeper nesting than any Kubernetes object has, and less than what would exhaust the stack of a reader. */
const maxDepth = 256;
/** The review and the request are around every object. */
const levelsAround = 2;

const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Whether a JSON text is nested more deeply than any review is. It looks at brackets outside of strings and at nothing else: text
 * that is not JSON may pass, and the parser finds out.
 */
function isNestedTooDeeply(bytes: Uint8Array): boolean {
  let depth = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxDepth + levelsAround) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    at += 1;
  }
  return false;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return bytes.length;
}

/** What an admission webhook says, and how that is written. */

export interface AnswerCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

export type AdmissionAnswer =
  | {
      readonly allowed: true;
      readonly warnings?: readonly string[];
      /** Mutating webhooks only. */
      readonly patch?: readonly JsonPatchOperation[];
    }
  | {
      readonly allowed: false;
      /** Always sent, with a reason: a refusal without them becomes a bare 400. */
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      readonly causes?: readonly AnswerCause[];
      /** Zero is left out, which means the same: anything else becomes a header on which Go clients sleep. */
      readonly retryAfterSeconds?: number;
      readonly warnings?: readonly string[];
    };

/** API servers cut warnings that are longer, and drop them when there are too many. */
const maxWarning = 256;
const maxWarnings = 16;

export function encodeAnswer(uid: string, answer: AdmissionAnswer): string {
  const body = answer.allowed ? allowedBody(answer.patch ?? []) : refusedBody(answer);
  const warnings = warningsBody(answer.warnings ?? []);
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":${JSON.stringify(uid)},${body}${warnings}}}`;
}

function allowedBody(patch: readonly JsonPatchOperation[]): string {
  if (patch.length === 0) return '"allowed":true';
  const bytes = Buffer.from(JSON.stringify(patch)).toString('base64');
  return `"allowed":true,"patchType":"JSONPatch","patch":"${bytes}"`;
}

function refusedBody(answer: Extract<AdmissionAnswer, { readonly allowed: false }>): string {
  const { code, reason, message } = answer;
  const status = `"status":"Failure","message":${JSON.stringify(message)},"reason":${JSON.stringify(reason)}`;
  return `"allowed":false,"status":{"metadata":{},${status}${detailsBody(answer)},"code":${code}}`;
}

function detailsBody(answer: Extract<AdmissionAnswer, { readonly allowed: false }>): string {
  const parts: string[] = [];
  if (answer.causes !== undefined && answer.causes.length > 0) parts.push(`"causes":${JSON.stringify(answer.causes)}`);
  if (answer.retryAfterSeconds !== undefined && answer.retryAfterSeconds > 0) {
    parts.push(`"retryAfterSeconds":${Math.ceil(answer.retryAfterSeconds)}`);
  }
  return parts.length === 0 ? '' : `,"details":{${parts.join(',')}}`;
}

function warningsBody(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  return `,"warnings":${JSON.stringify(warnings.slice(0, maxWarnings).map(cutWarning))}`;
}

function cutWarning(warning: string): string {
  return warning.length > maxWarning ? `${warning.slice(0, maxWarning - 3)}...` : warning;
}

/** Who asks for a disruption, and what the client says about it. */
export interface ClientWords {
  readonly user: string;
  /** On whose behalf: the descheduler writes it on its Evictions. Clients can write anything: it proves nothing. */
  readonly requestedBy?: string;
  /** Why, in the client's words. */
  readonly reason?: string;
}

/** Annotations of an Eviction, as the descheduler writes them. */
const requestedByKey = 'requested-by';
const reasonKey = 'reason';

/** A client chooses these texts, and every decision logs them. */
const maxText = 256;

export function clientWordsOf({ username, object, subResource }: ReviewRequest): ClientWords {
  const metadata = subResource === 'eviction' && isObject(object) ? object['metadata'] : undefined;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = (key: string): string | undefined => {
    const value = isObject(annotations) && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    return typeof value === 'string' && value !== '' ? value.slice(0, maxText) : undefined;
  };
  const [requestedBy, reason] = [text(requestedByKey), text(reasonKey)];
  return {
    user: username,
    ...(requestedBy === undefined ? {} : { requestedBy }),
    ...(reason === undefined ? {} : { reason }),
  };
}

import { isObject, isUnset } from '@holdfast/base/json';
import { jsonType, parseProblem } from '../json-problem.ts';
import type { ReviewVersion } from './admission-review.ts';

/** What a webhook decided. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly patch: Buffer | undefined;
  readonly patchType: string | undefined;
  readonly warnings: readonly string[];
}

export type ReadAnswer =
  | { readonly ok: true; readonly answer: ReviewAnswer }
  /** `undecodable`: not an AdmissionReview at all; `invalid`: one that breaks the rules. */
  | { readonly ok: false; readonly problem: 'undecodable' | 'invalid'; readonly reason: string };

export interface Expected {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly mutating: boolean;
}

/** Reads the body of a webhook's answer. Nothing in it is trusted. */
export function readAnswer(body: string, expected: Expected): ReadAnswer {
  const parsed = parse(body);
  if (typeof parsed === 'string') return undecodable(parsed);
  const problem = kindProblem(parsed) ?? shapeProblem(parsed['response']);
  if (problem !== undefined) return undecodable(problem);
  const response = parsed['response'];
  if (!isObject(response)) return invalid('webhook response was absent');
  const answer: ReviewAnswer = {
    allowed: response['allowed'] === true,
    status: isObject(response['status']) ? response['status'] : undefined,
    patch: patchBytes(response['patch']),
    patchType: typeof response['patchType'] === 'string' ? response['patchType'] : undefined,
    warnings: (response['warnings'] ?? []) as readonly string[],
  };
  return expected.version === 'v1'
    ? verify(answer, response['uid'] ?? '', parsed, expected)
    : accepted(betaAnswer(answer, expected.mutating));
}

const typeMeta =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function parse(body: string): Readonly<Record<string, unknown>> | string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    // What does not look like a JSON object is tried as YAML, where almost everything is a string.
    if (!body.trimStart().startsWith('{')) return wrongType('string');
    return `couldn't get version/kind; json parse error: ${parseProblem(body, error)}`;
  }
  return isObject(value) ? value : wrongType(jsonType(value));
}

function wrongType(type: string): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into ${typeMeta}`;
}

const reviewApiVersions: readonly unknown[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** A missing kind or version is taken as the expected one here; checking the answer finds it later. */
function kindProblem({ kind, apiVersion }: Readonly<Record<string, unknown>>): string | undefined {
  const rightKind = !kind || kind === 'AdmissionReview';
  if (rightKind && (!apiVersion || reviewApiVersions.includes(apiVersion))) return undefined;
  return `no kind "${String(kind || 'AdmissionReview')}" is registered for version "${String(apiVersion || 'admission.k8s.io/v1')}" in scheme "pkg/runtime/scheme.go:111"`;
}

const shapes: Readonly<Record<string, readonly [type: string, holds: (value: unknown) => boolean]>> = {
  uid: ['types.UID', (value) => typeof value === 'string'],
  allowed: ['bool', (value) => typeof value === 'boolean'],
  status: ['v1.Status', isObject],
  patch: ['[]uint8', (value) => typeof value === 'string'],
  patchType: ['v1.PatchType', (value) => typeof value === 'string'],
  warnings: ['[]string', Array.isArray],
};

const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

function shapeProblem(response: unknown): string | undefined {
  if (isUnset(response)) return undefined;
  if (!isObject(response)) return mismatch(response, 'AdmissionReview.response', 'v1.AdmissionResponse');
  for (const [field, [type, holds]] of Object.entries(shapes)) {
    const value = Object.hasOwn(response, field) ? response[field] : undefined;
    if (!isUnset(value) && !holds(value)) return mismatch(value, `AdmissionResponse.response.${field}`, type);
  }
  const warnings = (response['warnings'] ?? []) as readonly unknown[];
  const odd = warnings.find((warning) => typeof warning !== 'string');
  if (odd !== undefined) return mismatch(odd, 'AdmissionResponse.response.warnings', 'string');
  const patch = response['patch'];
  if (typeof patch === 'string' && !(base64Pattern.test(patch) && patch.length % 4 === 0)) {
    return `illegal base64 data at input byte ${patch.search(/[^A-Za-z0-9+/]|$/)}`;
  }
  return undefined;
}

function mismatch(value: unknown, field: string, type: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field} of type ${type}`;
}

function patchBytes(patch: unknown): Buffer | undefined {
  return typeof patch === 'string' && patch !== '' ? Buffer.from(patch, 'base64') : undefined;
}

function verify(
  answer: ReviewAnswer,
  uid: unknown,
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  expected: Expected,
): ReadAnswer {
  if (uid !== expected.uid) return invalid(`expected response.uid="${expected.uid}", got "${String(uid)}"`);
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    const got = `${String(apiVersion || '/')}, Kind=${String(kind || '')}`;
    return invalid(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
  }
  const problem = expected.mutating ? mutatingProblem(answer) : validatingProblem(answer);
  return problem === undefined ? accepted(answer) : invalid(problem);
}

function mutatingProblem({ patch, patchType }: ReviewAnswer): string | undefined {
  if (patch && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (!patch && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  if (patchType === '') return 'webhook returned invalid response.patchType of ""';
  return undefined;
}

function validatingProblem({ patch, patchType }: ReviewAnswer): string | undefined {
  if (patch) return 'validating webhook may not return response.patch';
  if (patchType !== undefined) return 'validating webhook may not return response.patchType';
  return undefined;
}

/** The older version never checked these, and knew one type of patch. */
function betaAnswer(answer: ReviewAnswer, mutating: boolean): ReviewAnswer {
  if (!mutating || !answer.patch) return { ...answer, patch: undefined, patchType: undefined };
  return { ...answer, patchType: 'JSONPatch' };
}

function accepted(answer: ReviewAnswer): ReadAnswer {
  return { ok: true, answer };
}

function undecodable(reason: string): ReadAnswer {
  return { ok: false, problem: 'undecodable', reason };
}

function invalid(reason: string): ReadAnswer {
  return { ok: false, problem: 'invalid', reason };
}

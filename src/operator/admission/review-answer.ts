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

import { internalError } from '../errors.ts';
import { clone, type JsonObject, type KubeObject } from '../objects.ts';
import { getOwn, isJsonObject } from '../schema/json-values.ts';
import type { PostReview } from './conversion-post.ts';
import type { Crd } from './crd.ts';

/** Objects in the order given, in the wanted version. Refusals are thrown as ApiError. */
export type ConvertObjects = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>;

export interface ConversionDeps {
  readonly post: PostReview;
  readonly newUid: () => string;
}

const timeoutMs = 30_000;

/** Sends to the webhook what is not in the wanted version yet, and believes the answer only where it is about the same objects. */
export function conversionWebhook(crd: Crd, { post, newUid }: ConversionDeps): ConvertObjects {
  return async (objects, apiVersion) => {
    const pending = objects.filter((object) => object.apiVersion !== apiVersion);
    const [first] = pending;
    if (!first) return objects;
    const subject = `conversion webhook for ${kindText(first)}`;
    const review = reviewVersion(crd);
    if (!review) throw internalError('no supported conversion review versions');
    const uid = newUid();
    const request = { uid, desiredAPIVersion: apiVersion, objects: pending };
    const body = JSON.stringify({ apiVersion: review, kind: 'ConversionReview', request });
    const answer = await post(crd.spec.conversion?.webhook?.clientConfig ?? {}, body, timeoutMs);
    if (answer.kind === 'failed') throw internalError(`${subject} failed: ${answer.reason}`);
    const converted = readReview(answer.body, review, uid);
    if (!converted.ok) throw internalError(`${subject} failed: ${converted.message}`);
    if (converted.objects.length !== pending.length) {
      throw internalError(`${subject} returned ${converted.objects.length} objects, expected ${pending.length}`);
    }
    const checked = pending.map((original, index) => {
      const result = accept(original, converted.objects[index], apiVersion);
      if (!result.ok)
        throw internalError(`${subject} returned invalid converted object at index ${index}: ${result.message}`);
      return result.object;
    });
    return objects.map((object) => (object.apiVersion === apiVersion ? object : (checked.shift() ?? object)));
  };
}

/** As the real server prints a group, version and kind. */
function kindText(object: KubeObject): string {
  return `${object.apiVersion}, Kind=${object.kind}`;
}

const understood = ['v1', 'v1beta1'];

function reviewVersion(crd: Crd): string | undefined {
  const versions = crd.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  const version = versions.find((one) => understood.includes(one));
  return version === undefined ? undefined : `apiextensions.k8s.io/${version}`;
}

type ReadReview =
  | { readonly ok: true; readonly objects: readonly unknown[] }
  | { readonly ok: false; readonly message: string };

function readReview(body: string, apiVersion: string, uid: string): ReadReview {
  const review = parse(body);
  if (!isJsonObject(review)) return { ok: false, message: 'the response is not a JSON object' };
  if (apiVersion.endsWith('/v1') && (review['apiVersion'] !== apiVersion || review['kind'] !== 'ConversionReview')) {
    const got = `${String(review['apiVersion'] ?? '')}, Kind=${String(review['kind'] ?? '')}`;
    return { ok: false, message: `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${got}` };
  }
  const response = getOwn(review, 'response');
  if (!isJsonObject(response)) return { ok: false, message: 'no response provided' };
  if (apiVersion.endsWith('/v1') && response['uid'] !== uid) {
    return { ok: false, message: `expected response.uid="${uid}", got "${String(response['uid'] ?? '')}"` };
  }
  const result = isJsonObject(response['result']) ? response['result'] : {};
  if (result['status'] !== 'Success') {
    const message = typeof result['message'] === 'string' ? result['message'] : '';
    const plain = `response.result.status was '${String(result['status'] ?? '')}', not 'Success'`;
    return { ok: false, message: message === '' ? plain : message };
  }
  const { convertedObjects } = response;
  return { ok: true, objects: Array.isArray(convertedObjects) ? convertedObjects : [] };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

type Accepted = { readonly ok: true; readonly object: KubeObject } | { readonly ok: false; readonly message: string };

/** Conversion may change labels and annotations; all other metadata stays as it was. */
function accept(original: KubeObject, converted: unknown, apiVersion: string): Accepted {
  if (!isJsonObject(converted)) return { ok: false, message: 'it is not a JSON object' };
  if (converted['apiVersion'] !== apiVersion) {
    const received = String(converted['apiVersion'] ?? '');
    return { ok: false, message: `invalid groupVersion (expected ${apiVersion}, received ${received})` };
  }
  if (converted['kind'] !== original.kind) {
    const received = String(converted['kind'] ?? '');
    return { ok: false, message: `invalid kind (expected ${original.kind}, received ${received})` };
  }
  const { metadata } = converted;
  if (!isJsonObject(metadata)) return { ok: false, message: 'missing metadata in converted object' };
  for (const [key, label] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [original.metadata[key] ?? '', metadata[key] ?? ''];
    if (before !== after) return { ok: false, message: `must have the same ${label}: ${before} != ${String(after)}` };
  }
  const restored: JsonObject = { ...clone(original.metadata) };
  for (const key of ['labels', 'annotations']) {
    if (metadata[key] === undefined) delete restored[key];
    else restored[key] = metadata[key];
  }
  return { ok: true, object: { ...converted, metadata: restored } as unknown as KubeObject };
}

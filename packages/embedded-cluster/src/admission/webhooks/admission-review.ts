import type { User } from '../../auth/user.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { AdmissionRequest } from '../admission.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The resource and kind that a webhook's rules ask for: the request's own, or another version of it. */
export interface AdmissionTarget {
  readonly type: ResourceType;
  readonly kind: GroupVersionKind;
}

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first version that the webhook lists and we speak. */
export function reviewVersion(accepted: readonly string[]): ReviewVersion | undefined {
  return accepted.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');
}

/** The body of the call. Receivers may read only the beginning of it, so the order of keys is part of the format. */
export function encodeReview(version: ReviewVersion, request: JsonObject): string {
  return `${JSON.stringify({ kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request })}\n`;
}

/** The request as it travels. What is empty is left out, except the objects, which are null. */
export function requestFields(
  uid: string,
  request: AdmissionRequest,
  target: AdmissionTarget,
  objects: { readonly object: KubeObject | undefined; readonly oldObject: KubeObject | undefined },
): JsonObject {
  const { type, subresource, name } = request;
  const namespace = namespaceOf(request);
  const hasOptions = Object.keys(request.options).length > 0;
  return {
    uid,
    kind: gvk(target.kind),
    resource: gvr(target.type),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: gvk(request.kind),
    requestResource: gvr(type),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation,
    userInfo: userInfo(request.user),
    object: ordered(objects.object, target.type),
    oldObject: ordered(objects.oldObject, target.type),
    dryRun: request.dryRun,
    ...(hasOptions ? { options: request.options } : {}),
  };
}

/** A namespace is its own namespace in admission. */
export function namespaceOf(request: AdmissionRequest): string {
  return request.type.key === 'namespaces' ? request.name : request.namespace;
}

function gvk({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function gvr({ group, version, plural }: ResourceType): JsonObject {
  return { group, version, resource: plural };
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

/** Built-in kinds say first what they are; custom ones have their keys in alphabetical order. */
function ordered(object: KubeObject | undefined, type: ResourceType): KubeObject | null {
  if (!object) return null;
  const { kind, apiVersion } = object;
  if (type.custom) {
    const keys = Object.keys(object).sort();
    return Object.fromEntries(keys.map((key) => [key, object[key]])) as KubeObject;
  }
  const first = Object.hasOwn(object, 'metadata')
    ? { kind, apiVersion, metadata: object.metadata }
    : { kind, apiVersion };
  return { ...first, ...object };
}

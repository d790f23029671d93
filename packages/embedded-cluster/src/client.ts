import type { KubeObject, ResourceKey } from './objects.ts';

/**
 * The API server as its own controllers use it: the same admission and validation as over HTTP, without the wire. Bound to one
 * user. Refusals are thrown as ApiError. Reading is the view's business.
 */
export interface Client {
  create<T extends KubeObject>(resource: ResourceKey, object: T): Promise<T>;
  /** Compare-and-swap where the object carries a resourceVersion. */
  update<T extends KubeObject>(resource: ResourceKey, object: T, options?: WriteOptions): Promise<T>;
  /** An update that is computed from the newest state, and again when it lost a race; undefined from `change`: leave it. */
  modify<T extends KubeObject>(
    resource: ResourceKey,
    namespace: string,
    name: string,
    change: (draft: T) => T | undefined,
    options?: WriteOptions,
  ): Promise<T | undefined>;
  /** The scheduler's word on where a pod runs. */
  bind(namespace: string, name: string, uid: string, node: string): Promise<void>;
  delete(resource: ResourceKey, namespace: string, name: string, options?: DeleteOptions): Promise<void>;
}

export interface WriteOptions {
  readonly subresource?: 'status' | 'scale' | 'resize' | 'finalize';
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

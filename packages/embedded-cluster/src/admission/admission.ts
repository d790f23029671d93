import type { User } from '../auth/user.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import type { KubeObject } from '../objects.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One request on its way to the store. Objects are in the version the client speaks. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly type: ResourceType;
  /** '' for the resource itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** '' where it is not known yet (generateName) and for deletecollection. */
  readonly name: string;
  /** The kind that travels: of the resource, or of the subresource (Eviction, Scale). */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as JSON with kind and apiVersion. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly user: User;
  readonly dryRun: boolean;
  /** Texts for the Warning headers of the answer. */
  readonly warnings: string[];
}

/** Refusals are thrown as ApiError. */
export interface Admission {
  /** What the object has become; undefined for DELETE, which has none. */
  mutate(request: AdmissionRequest): Promise<KubeObject | undefined>;
  validate(request: AdmissionRequest): Promise<void>;
}

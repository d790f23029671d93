import type { KubeObject } from '../../objects.ts';
import type { Target } from '../registry.ts';
import type { WriteContext } from '../write-context.ts';

export interface UpdateRequest {
  readonly target: Target;
  /** '', or a subresource that is a part of the object: status, resize, ephemeralcontainers, finalize. */
  readonly subresource: string;
  readonly context: WriteContext;
  /** From the newest state to what is wanted, in the version of the target's type; may be called again after a lost race. */
  change(old: KubeObject): KubeObject | Promise<KubeObject>;
  /** The request has been admitted in another shape already. */
  readonly skipAdmission?: boolean;
  /** What travels is not the object itself but a view of it: the Scale of a Deployment. */
  readonly travelsAs?: TravelsAs;
  /** The change says itself who owns which field (server-side apply). */
  readonly tracksFields?: boolean;
  /** A lost race is the client's to know of: it named the version it wants to replace. Else we try again. */
  readonly retries: boolean;
}

/** How admission sees a request whose body is another kind than the resource's own. */
export interface TravelsAs {
  readonly subresource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  encode(object: KubeObject): KubeObject;
  /** What admission made of it, put back into the object. */
  decode(body: KubeObject, object: KubeObject): KubeObject;
}

export type UpdateOutcome =
  | { readonly kind: 'updated'; readonly object: KubeObject }
  | { readonly kind: 'unchanged'; readonly object: KubeObject }
  /** The last finalizer went, and with it the object. */
  | { readonly kind: 'removed'; readonly object: KubeObject };

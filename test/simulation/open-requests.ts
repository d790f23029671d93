import type { AdmissionRequest } from '../../packages/embedded-cluster/src/admission/admission.ts';
import type { ControlPlane } from '../../packages/embedded-cluster/src/control-plane.ts';

/** A request about a pod that came to admission. */
export interface OpenRequest {
  readonly operation: 'EVICT' | 'DELETE' | 'UPDATE';
  readonly pod: string;
  readonly user: string;
  readonly begun: number;
  readonly dryRun: boolean;
  /** It names the uid of its pod: the client sent it, or a webhook added it. */
  readonly isBound: boolean;
  admitted: number | undefined;
  over: boolean;
  /** When it was over. */
  endedAt: number | undefined;
}

/** How long after its admission the built-in eviction may still act: it tries again while it loses races. */
const evictionTailMs = 15_000;
/** How long after the refusal of an eviction the deletion may still arrive that was sent for it: its answer did not come in time. */
const deletionTailMs = 15_000;

/** Requests about pods, as the API server sees them: who asked for what, since when, and whether it was admitted. */
export class OpenRequests {
  readonly #now: () => number;
  readonly #requests: OpenRequest[] = [];
  /** Pods, by name, that were asked for at all, other than by a dry run. */
  readonly asked = new Set<string>();

  constructor(plane: ControlPlane, now: () => number) {
    this.#now = now;
    this.#listen(plane);
  }

  /** The deletion, or the update, of a pod that is stored at this moment. */
  stored(operation: 'DELETE' | 'UPDATE', pod: string): OpenRequest | undefined {
    const now = this.#now();
    return this.#requests.findLast(
      (one) => one.operation === operation && one.pod === pod && one.admitted === now && !one.dryRun && !one.over,
    );
  }

  /** The eviction of a pod that is under way, the one that was asked for last; it may still be in admission. */
  eviction(pod: string): OpenRequest | undefined {
    const now = this.#now();
    return this.#requests.findLast(
      (one) =>
        one.operation === 'EVICT' &&
        one.pod === pod &&
        !one.dryRun &&
        (!one.over || (one.admitted !== undefined && one.admitted + evictionTailMs >= now)),
    );
  }

  /**
   * When the eviction was begun that was asked for last, of those that a deletion of the operator may be sent for now. One that is bound
   * to no uid, because the webhook that binds it did not answer in time, is about the pod that has the name when it is decided (P9).
   */
  lastBegun(pod: string): number | undefined {
    const now = this.#now();
    const candidates = this.#requests.filter(
      (one) =>
        one.operation === 'EVICT' &&
        one.pod === pod &&
        !one.dryRun &&
        (one.endedAt === undefined || one.endedAt + deletionTailMs >= now),
    );
    return candidates.some(({ isBound }) => !isBound) ? now : candidates.at(-1)?.begun;
  }

  #listen(plane: ControlPlane): void {
    const registry = plane.registry as { -readonly [K in keyof typeof plane.registry]: (typeof plane.registry)[K] };
    const inner = registry.admission;
    registry.admission = {
      mutate: (request) => inner.mutate(request),
      validate: async (request) => {
        const open = this.#begin(request);
        try {
          await inner.validate(request);
          if (open !== undefined) open.admitted = this.#now();
        } catch (error) {
          if (open !== undefined) this.#end(open);
          throw error;
        }
        if (open?.operation === 'EVICT') this.#end(open);
      },
    };
  }

  #end(open: OpenRequest): void {
    open.over = true;
    open.endedAt = this.#now();
  }

  #begin(request: AdmissionRequest): OpenRequest | undefined {
    const operation = operationOf(request);
    if (operation === undefined) return undefined;
    const body = (request.object?.['deleteOptions'] ?? {}) as {
      readonly dryRun?: readonly string[];
      readonly preconditions?: { readonly uid?: string };
    };
    const dryRun = request.dryRun || (body.dryRun?.length ?? 0) > 0;
    const open: OpenRequest = {
      operation,
      pod: request.name,
      user: request.user.name,
      begun: this.#now(),
      dryRun,
      isBound: body.preconditions?.uid !== undefined,
      admitted: undefined,
      over: false,
      endedAt: undefined,
    };
    if (!dryRun) this.asked.add(request.name);
    this.#requests.push(open);
    return open;
  }
}

/** Kubelets report a lot, and ask for nothing. */
function operationOf({ type, operation, subresource, user }: AdmissionRequest): OpenRequest['operation'] | undefined {
  if (type.key !== 'pods') return undefined;
  if (subresource === 'eviction') return 'EVICT';
  if (operation === 'DELETE' && subresource === '') return 'DELETE';
  return operation === 'UPDATE' && !user.name.startsWith('system:node:') ? 'UPDATE' : undefined;
}

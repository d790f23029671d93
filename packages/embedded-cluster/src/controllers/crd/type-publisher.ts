import { type Crd, crdHasCondition } from '../../crd/crd.ts';
import { type CustomTypeDeps, customResourceTypes } from '../../crd/custom-types.ts';
import { ApiError } from '../../errors.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import type { MutableResourceTypes } from '../../kinds/resource-types.ts';

/** Keeps the served resources in step with the CRDs: what is established is served, until it is gone. */
export class TypePublisher {
  readonly #types: MutableResourceTypes;
  readonly #deps: CustomTypeDeps;
  /** What was published last, so that a mere change of status does not shake up discovery. */
  readonly #published = new Map<string, string>();

  constructor(types: MutableResourceTypes, deps: CustomTypeDeps) {
    this.#types = types;
    this.#deps = deps;
  }

  publish(crd: Crd): void {
    if (!crdHasCondition(crd, 'Established')) return;
    const { name, uid, generation } = crd.metadata;
    const terminating = isTerminating(crd);
    const signature = JSON.stringify([uid, generation, crd.status?.acceptedNames, terminating]);
    if (this.#published.get(name) === signature) return;
    const types = customResourceTypes(crd, this.#deps);
    this.#types.replaceCustom(name, terminating ? types.map(closedForNew) : types);
    this.#published.set(name, signature);
  }

  withdraw(crdName: string): void {
    this.#published.delete(crdName);
    this.#types.removeCustom(crdName);
  }
}

function isTerminating(crd: Crd): boolean {
  return crd.metadata.deletionTimestamp !== undefined;
}

/** While the objects of a CRD are cleared away they can be read, changed and deleted, but nothing can be added. */
function closedForNew(type: ResourceType): ResourceType {
  return {
    ...type,
    strategy: {
      ...type.strategy,
      prepareForCreate() {
        throw new ApiError({
          code: 405,
          reason: 'MethodNotAllowed',
          message: 'create not allowed while custom resource definition is terminating',
          details: { group: type.group, kind: type.plural },
        });
      },
    },
  };
}

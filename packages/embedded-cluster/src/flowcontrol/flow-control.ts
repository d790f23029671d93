import type { Attributes } from '../auth/user.ts';
import type { KubeObject } from '../objects.ts';
import type { View } from '../view.ts';
import { byPrecedence, type FlowSchema, flowSchemaMatches, flowSchemaOf } from './flow-schema.ts';

export const flowSchemas = 'flowcontrol.apiserver.k8s.io/flowschemas';
export const priorityLevels = 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations';

/** By which flow schema and priority level a request is taken, by their uids. */
export interface Classification {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

/** What a priority level was promised of all that is worked on at the same time. */
export interface NominalSeats {
  readonly priorityLevel: string;
  readonly seats: number;
}

/**
 * Says to which flow each request belongs. Nothing waits for its turn by it: there is one process, and it answers at once.
 */
export class FlowControl {
  readonly #view: View;
  readonly #subscription: { stop(): void };
  readonly #byName = new Map<string, FlowSchema>();
  /** Every request looks through it. */
  #inOrder: readonly FlowSchema[] = [];

  constructor(view: View) {
    this.#view = view;
    this.#subscription = view.watch(flowSchemas, ({ type, object }) => {
      if (type === 'DELETED') this.#byName.delete(object.metadata.name);
      else this.#byName.set(object.metadata.name, flowSchemaOf(object));
      this.#inOrder = [...this.#byName.values()].sort(byPrecedence);
    });
  }

  /** A flow schema whose priority level is missing takes nothing. Undefined where none is left that is about it. */
  classify(request: Attributes): Classification | undefined {
    for (const schema of this.#inOrder) {
      if (!flowSchemaMatches(schema, request)) continue;
      const level = this.#view.get(priorityLevels, '', schema.priorityLevel);
      if (level) return { flowSchemaUid: schema.uid, priorityLevelUid: level.metadata.uid ?? '' };
    }
    return undefined;
  }

  nominalSeats(): readonly NominalSeats[] {
    return seatsOf(this.#view.list(priorityLevels));
  }

  close(): void {
    this.#subscription.stop();
  }
}

/** What a real server works on at the same time unless it is told otherwise: 400 reads and 200 writes. */
const serverSeats = 600;

/** Seats are shared out by the levels' shares, rounded up; a level without a share still has none. */
export function seatsOf(levels: readonly KubeObject[]): readonly NominalSeats[] {
  const shares = levels.map((level) => ({ priorityLevel: level.metadata.name, share: shareOf(level) }));
  const sum = shares.reduce((total, { share }) => total + share, 0);
  return shares.map(({ priorityLevel, share }) => ({
    priorityLevel,
    seats: sum === 0 ? 0 : Math.ceil((serverSeats * share) / sum),
  }));
}

interface LevelSpec {
  readonly type?: string;
  readonly limited?: { readonly nominalConcurrencyShares?: number };
  readonly exempt?: { readonly nominalConcurrencyShares?: number };
}

function shareOf(level: KubeObject): number {
  const { type, limited, exempt } = (level['spec'] ?? {}) as LevelSpec;
  return (type === 'Exempt' ? exempt?.nominalConcurrencyShares : limited?.nominalConcurrencyShares) ?? 0;
}

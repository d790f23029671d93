/** Budgets and the pods under them, as the API server would hold them. */

import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import type { BudgetObject, BudgetStatus } from '../../../src/controllers/disruption/budget.ts';
import type { FindScale } from '../../../src/controllers/disruption/scales.ts';
import { timestamp } from '../../../src/time/clock.ts';
import { pod } from '../workloads.ts';

export const now = Date.UTC(2026, 0, 1, 12);

export function at(seconds: number): string {
  return timestamp(now + seconds * 1000);
}

export function budget(spec: BudgetObject['spec'], status?: Partial<BudgetStatus>): BudgetObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default', generation: 1 },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0, ...status },
  };
}

function controller(name: string, kind = 'StatefulSet'): OwnerReference {
  return { apiVersion: 'apps/v1', kind, name, uid: `uid-of-${name}`, controller: true };
}

export interface PodFields {
  readonly owner?: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
  readonly phase?: string;
}

export function aPod(name: string, { owner, ready = true, terminating, phase = 'Running' }: PodFields = {}): PodObject {
  const made = pod(name, {}, { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] });
  if (owner !== undefined) made.metadata.ownerReferences = [controller(owner)];
  if (terminating) made.metadata.deletionTimestamp = at(30);
  return made;
}

export function pods(count: number, fields: PodFields = { owner: 'web' }): PodObject[] {
  return Array.from({ length: count }, (_, index) => aPod(`${fields.owner ?? 'bare'}-${index}`, fields));
}

/** Scales by the name of the controller. */
export function scales(replicas: Readonly<Record<string, number>>): FindScale {
  return ({ name, uid }) => {
    const found = Object.hasOwn(replicas, name) ? replicas[name] : undefined;
    return found === undefined ? { kind: 'none' } : { kind: 'scale', uid, replicas: found };
  };
}

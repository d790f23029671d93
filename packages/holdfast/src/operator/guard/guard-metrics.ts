import type { Guard } from '../../core/status/condition.ts';
import type { World } from '../../core/world/world.ts';
import { needsGuard } from '../../observe/guard/needs-guard.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

const kinds = ['on', 'observed', 'off'] as const satisfies readonly Guard['kind'][];

/** How many namespaces with something to protect are enforced, only observed, or open; and what their ledgers hold. */
export function createGuardMetrics(
  metrics: Metrics,
  world: Pick<World, 'namespaces'>,
  guardOf: (namespace: string) => Guard,
): void {
  const guarded = metrics.gauge({
    name: 'protected_namespaces',
    help: 'Namespaces with something to protect: on (enforced), observed, or off (requests do not reach Holdfast).',
    labels: ['guard'],
  });
  const held = metrics.gauge({
    name: 'ledger_reservations_held',
    help: 'Disruptions that were allowed and are not yet seen to have happened, in all namespaces.',
    labels: [],
  });
  const largest = metrics.gauge({
    name: 'ledger_reservations_largest',
    help: 'Reservations in the ledger of the namespace that has the most.',
    labels: [],
  });
  metrics.beforeRender(() => {
    const counts = { on: 0, observed: 0, off: 0 };
    let [all, most] = [0, 0];
    for (const state of world.namespaces()) {
      all += state.reservations.size;
      most = Math.max(most, state.reservations.size);
      if (!state.terminating && needsGuard(state)) counts[guardOf(state.name).kind] += 1;
    }
    for (const guard of kinds) guarded.set({ guard }, counts[guard]);
    held.set({}, all);
    largest.set({}, most);
  });
}

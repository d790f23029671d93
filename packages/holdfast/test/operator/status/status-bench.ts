import { aWorld } from '../../../../../test/support/a-world.ts';
import { ns } from '../../../../../test/support/builders.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { Guard } from '../../../src/core/status/condition.ts';
import type { World } from '../../../src/core/world/world.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { createBudgetMetrics } from '../../../src/operator/status/budget-metrics.ts';
import { groupBudgetOf } from '../../../src/operator/status/plan-pdb.ts';
import { StatusController } from '../../../src/operator/status/status-controller.ts';
import type { StatusLimits } from '../../../src/operator/status/status-parts.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { FakeBudgets, keyOf } from './fake-budgets.ts';

/** A controller in virtual time, its API server, and everything that it said. */
export interface StatusBench {
  readonly world: World;
  readonly clock: TestClock;
  readonly api: FakeBudgets;
  readonly controller: StatusController;
  readonly metrics: Metrics;
  /** `reason subject` of each. */
  readonly events: string[];
  readonly log: string[];
  guard: Guard;
  paused: boolean;
  /** The view hears of writes at once, unless told otherwise. */
  lagging: boolean;
  /** The view comes to what the API server has. */
  catchUp(): void;
  /** Leads from now on; what it returns ends it. */
  lead(): () => Promise<void>;
  pdbSays(name: string): string;
  pub(name: string): PodUnavailableBudget;
  pdb(name: string): PodDisruptionBudget;
}

interface Setup {
  readonly world?: World;
  readonly pdbs?: readonly PodDisruptionBudget[];
  readonly pubs?: readonly PodUnavailableBudget[];
  /** The one before: the same API server, time and people. */
  readonly after?: StatusBench;
  readonly limits?: Partial<StatusLimits>;
  /** Whether budgets show units in `disruptionsAllowed`. */
  readonly projects?: boolean;
}

export function aStatusBench(setup: Setup): StatusBench {
  const { world = aWorld(), pdbs = [], pubs = [], after, limits, projects = false } = setup;
  const clock = after?.clock ?? new TestClock();
  const api = after?.api ?? new FakeBudgets();
  const events = after?.events ?? [];
  const log: string[] = [];
  const metrics = createMetrics();
  const views = {
    pdbs: new ObjectCache<PodDisruptionBudget>({ report: fail }),
    pubs: new ObjectCache<PodUnavailableBudget>({ report: fail }),
  };
  views.pdbs.listen({
    delta: ({ type, item }) => (type === 'deleted' ? world.deletePdb(ns, item.metadata.name) : world.upsertPdb(item)),
  });
  views.pubs.listen({
    delta: ({ type, item }) => (type === 'deleted' ? world.deletePub(ns, item.metadata.name) : world.upsertPub(item)),
  });
  const state = { guard: after?.guard ?? ({ kind: 'on' } as Guard), paused: false, lagging: false };
  const controller = new StatusController({
    context: {
      world,
      clock,
      random: () => 0.5,
      log: createLogger({ level: 'warn', format: 'text', write: (line) => log.push(line), now: () => 0 }),
      metrics,
      clients: { status: api },
    },
    views,
    guardOf: () => state.guard,
    recorder: { record: ({ reason, subject }) => void events.push(`${reason} ${subject.name}`) },
    pubsPaused: () => state.paused,
    projects,
    budgetMetrics: createBudgetMetrics(metrics, clock),
    ...(limits === undefined ? {} : { limits }),
  });
  const bench: StatusBench = Object.assign(state, {
    ...{ world, clock, api, controller, metrics, events, log },
    catchUp() {
      const all = [...api.objects];
      const of = (plural: string) => all.filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object);
      views.pdbs.replace(of('poddisruptionbudgets') as PodDisruptionBudget[], '1');
      views.pubs.replace(of('podunavailablebudgets') as PodUnavailableBudget[], '1');
    },
    lead() {
      const stop = new AbortController();
      const ended = controller.lead(stop.signal);
      return () => {
        stop.abort();
        return ended;
      };
    },
    pdbSays(name: string) {
      const shown = groupBudgetOf(bench.pdb(name));
      return shown === undefined ? 'nothing' : `${shown.status} ${shown.reason}: ${shown.message}`;
    },
    pdb: (name: string) =>
      api.objects.get(keyOf('poddisruptionbudgets', { namespace: ns, name })) as PodDisruptionBudget,
    pub: (name: string) =>
      api.objects.get(keyOf('podunavailablebudgets', { namespace: ns, name })) as PodUnavailableBudget,
  });
  for (const pdb of pdbs) api.put('poddisruptionbudgets', pdb);
  for (const pub of pubs) api.put('podunavailablebudgets', pub);
  bench.catchUp();
  api.wrote = () => {
    if (!bench.lagging) bench.catchUp();
  };
  return bench;
}

function fail(error: unknown): never {
  throw error;
}

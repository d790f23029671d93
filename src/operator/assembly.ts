import { World } from '../core/world/world.ts';
import { createClients } from '../kube/client/clients.ts';
import { Discovery } from '../kube/discovery/discovery.ts';
import { EventRecorder } from '../kube/events/recorder.ts';
import type { ServerTraits } from '../kube/reflector/reflector.ts';
import { Connection } from '../kube/transport/connection.ts';
import type { Target } from '../kube/transport/target.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { OperatorContext } from './context.ts';
import { defaultFeatureGates, enforcedRolloutGate } from './feature-gates.ts';
import { GuardController } from './guard/guard-controller.ts';
import { GuardState } from './guard/guard-state.ts';
import { budgetsHandler } from './handlers/budgets.ts';
import { createDecisionMetrics, decisionObserver } from './handlers/decisions.ts';
import { disruptionEvents, uidsFrom } from './handlers/disruption-events.ts';
import { createLedgerEvents } from './handlers/ledger-events.ts';
import { PodHandler } from './handlers/pods.ts';
import { probesHandler } from './handlers/probes.ts';
import { statefulSetsHandler } from './handlers/statefulsets.ts';
import { operatorUser, webhookPaths } from './install/names.ts';
import { createJudging, type Judging } from './judging.ts';
import { OwnerResolver } from './owners/owner-resolver.ts';
import { purposeLimits } from './purposes.ts';
import { RolloutController } from './rollout/rollout-controller.ts';
import type { OperatorSettings, Surrounding } from './settings.ts';
import { createBudgetMetrics, noBudgetMetrics } from './status/budget-metrics.ts';
import { StatusController } from './status/status-controller.ts';
import { Surroundings } from './surroundings/surroundings.ts';
import { ClusterView } from './view/cluster-view.ts';
import { TouchHub } from './view/touch-hub.ts';
import type { WebhookHandler } from './webhook/handler.ts';

/** The parts of an operator, put together and not started. */
export interface Assembly {
  readonly connection: Connection;
  readonly context: OperatorContext;
  readonly traits: ServerTraits;
  readonly view: ClusterView;
  readonly owners: OwnerResolver;
  readonly surroundings: Surroundings;
  readonly judging: Judging;
  readonly guard: GuardController;
  readonly guardState: GuardState;
  readonly status: StatusController;
  /** Absent: the feature is off. */
  readonly rollouts: RolloutController | undefined;
  readonly recorder: EventRecorder;
  /** By path. */
  readonly handlers: ReadonlyMap<string, WebhookHandler>;
  /** What our own requests come from, once it is known. */
  setOwnName(username: string): void;
}

/** A kind that was not there is asked for again after this long: its definition may have been installed after us. */
const missMs = 5_000;

const userAgent = 'holdfast-operator';

export function assemble(settings: OperatorSettings, environment: Surrounding, api: Target): Assembly {
  const { clock } = environment;
  const connection = new Connection(api, { clock, userAgent });
  const context = contextOf(settings, environment, connection);
  const { world, clients, log } = context;
  const traits: ServerTraits = { watchList: true };
  const touched = new TouchHub();
  const owners = new OwnerResolver(context, touched, traits);
  const view = new ClusterView({
    context,
    traits,
    discovery: new Discovery({ client: clients.owners, clock, missMs }),
    touched,
    podsAdvanced: (namespace) => {
      judging.views.advanced();
      if (namespace !== undefined) judging.pruner.touch(namespace);
      else for (const state of world.namespaces()) judging.pruner.touch(state.name);
    },
    podSeen: (pod) => rollouts?.podSeen(pod),
    ledgerSeen: (namespace) => judging.pruner.touch(namespace),
    ledgerOlder: (namespace) => void judging.access.read(namespace),
    ownersNamed: () => owners.wake(),
  });
  const { views } = view;
  const surroundings = new Surroundings({ context, traits, namespaces: views.namespaces });
  surroundings.listen(() => view.leavePubs(surroundings.kruiseOwnsPubs()));
  const options = (namespace: string) => ({
    takeover: settings.takeover,
    foreignEvictionWebhook: surroundings.foreignEvictionWebhook(namespace) !== undefined,
  });
  const judging = createJudging(context, {
    options,
    staleness: () => view.staleness(),
    events: createLedgerEvents(context.metrics, log),
  });
  const recorder = recorderOf(context);
  const guard = new GuardController({ context, views });
  const guardState = new GuardState({
    clock,
    namespaces: views.namespaces,
    surroundings,
    own: settings.namespace,
    changed: (namespace) => touched.namespace(namespace),
  });
  const status = new StatusController({
    context,
    views,
    guardOf: (namespace) => guardState.guardOf(namespace),
    recorder,
    pubsPaused: () => surroundings.kruiseOwnsPubs(),
    budgetMetrics: settings.budgetMetrics ? createBudgetMetrics(context.metrics, clock) : noBudgetMetrics,
  });
  const enforced = (settings.featureGates ?? defaultFeatureGates)[enforcedRolloutGate];
  const rollouts = enforced ? new RolloutController({ context, traits, recorder }) : undefined;
  touched.add(guard);
  touched.add(status);
  touched.add(judging.sizes);
  let username = operatorUser(settings.namespace);
  const pods = new PodHandler({
    world,
    ledger: judging.service,
    access: judging.access,
    pods: judging.pods,
    views: judging.views,
    client: clients.admission,
    clock,
    options,
    username: () => username,
    observer: decisionObserver({
      metrics: createDecisionMetrics(context.metrics),
      log,
      events: disruptionEvents(recorder, uidsFrom(world, views)),
    }),
  });
  const handlers = new Map<string, WebhookHandler>([
    [webhookPaths.pods, pods],
    [
      webhookPaths.budgets,
      budgetsHandler({
        pubs: views.pubs,
        client: clients.admission,
        clock,
        leftToOthers: () => surroundings.kruiseOwnsPubs(),
      }),
    ],
    [webhookPaths.statefulSets, statefulSetsHandler({ enabled: enforced })],
    [webhookPaths.probes, probesHandler()],
  ]);
  return {
    connection,
    context,
    traits,
    view,
    owners,
    surroundings,
    judging,
    guard,
    guardState,
    status,
    rollouts,
    recorder,
    handlers,
    setOwnName(name) {
      username = name;
    },
  };
}

function contextOf(
  { identity, namespace }: OperatorSettings,
  { clock, random, log, runtimeMetrics = true }: Surrounding,
  connection: Connection,
): OperatorContext {
  return {
    world: new World(),
    clients: createClients(connection, purposeLimits, clock),
    clock,
    random,
    log,
    metrics: createMetrics({ runtime: runtimeMetrics }),
    identity,
    namespace,
  };
}

function recorderOf({ clients, clock, random, identity, log }: OperatorContext): EventRecorder {
  return new EventRecorder({
    client: clients.events,
    clock,
    random,
    component: 'holdfast',
    instance: identity,
    report: (message) => log.debug('an event was dropped', { error: message }),
  });
}

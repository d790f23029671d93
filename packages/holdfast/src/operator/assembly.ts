import { operatorUser, webhookPaths } from '../api/installation-names.ts';
import { World } from '../core/world/world.ts';
import { defaultFeatureGates, enforcedRolloutGate, projects } from '../install/index.ts';
import { createClients } from '../kube/client/clients.ts';
import { Discovery } from '../kube/discovery/discovery.ts';
import { EventRecorder } from '../kube/events/recorder.ts';
import type { ServerTraits } from '../kube/reflector/reflector.ts';
import { Connection } from '../kube/transport/connection.ts';
import { followingPings } from '../kube/transport/pinged-session.ts';
import type { ServerTarget } from '../kube/transport/target.ts';
import type { OperatorContext } from '../observe/context.ts';
import { decideOptionsBy, ForeignWebhooks } from '../observe/foreign-webhooks/foreign-webhooks.ts';
import { OwnerResolver } from '../observe/owners/owner-resolver.ts';
import { operatorPurposeLimits } from '../observe/purposes.ts';
import { ClusterView } from '../observe/view/cluster-view.ts';
import { TouchHub } from '../observe/view/touch-hub.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createAudit } from './admission/audit.ts';
import { type AdmissionParts, createAdmission } from './admission/create-admission.ts';
import { createDecisionMetrics, decisionObserver, disruptionEvents, uidsFrom } from './admission/decisions.ts';
import type { WebhookHandler } from './admission/handler.ts';
import { createLedgerEvents } from './admission/ledger.ts';
import { pinHandler } from './admission/pod-handler.ts';
import { EnforcementStart } from './guard/enforcement-start.ts';
import { GuardController } from './guard/guard-controller.ts';
import { createGuardMetrics } from './guard/guard-metrics.ts';
import { GuardState } from './guard/guard-state.ts';
import { budgetsHandler } from './handlers/budgets.ts';
import { idleWhereObserved, observedHandler } from './handlers/observed.ts';
import { probesHandler } from './handlers/probes.ts';
import { projectionHandler } from './handlers/projection.ts';
import { statefulSetsHandler } from './handlers/statefulsets.ts';
import { RolloutController } from './rollout/rollout-controller.ts';
import type { OperatorRuntime, OperatorSettings } from './settings.ts';
import { createBudgetMetrics, noBudgetMetrics } from './status/budget-metrics.ts';
import { StatusController } from './status/status-controller.ts';

/** The parts of an operator, put together and not started. */
export interface Assembly {
  readonly connection: Connection;
  readonly context: OperatorContext;
  readonly traits: ServerTraits;
  readonly view: ClusterView;
  readonly owners: OwnerResolver;
  readonly foreignWebhooks: ForeignWebhooks;
  readonly admission: AdmissionParts;
  readonly guard: GuardController;
  readonly guardState: GuardState;
  readonly enforcement: EnforcementStart;
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

export function assemble(settings: OperatorSettings, environment: OperatorRuntime, api: ServerTarget): Assembly {
  const { clock } = environment;
  const connection = new Connection(api, { clock, userAgent, pings: followingPings });
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
      admission.views.advanced();
      if (namespace !== undefined) admission.pruner.touch(namespace);
      else for (const state of world.namespaces()) admission.pruner.touch(state.name);
    },
    podSeen: (pod) => rollouts?.podSeen(pod),
    ledgerSeen: (namespace) => admission.pruner.touch(namespace),
    ledgerOlder: (namespace) => void admission.access.read(namespace),
    ownersNamed: () => owners.wake(),
  });
  const { views } = view;
  const foreignWebhooks = new ForeignWebhooks({ context, traits, namespaces: views.namespaces });
  foreignWebhooks.listen(() => view.leavePubs(foreignWebhooks.kruiseOwnsPubs()));
  const options = decideOptionsBy(foreignWebhooks, settings.takeover);
  const recorder = recorderOf(context);
  const self = { username: operatorUser(settings.namespace) };
  const mode = settings.mode ?? 'enforce';
  const changed = (namespace: string) => touched.namespace(namespace);
  const enforcement = new EnforcementStart({
    clock,
    namespaces: views.namespaces,
    foreignWebhooks,
    observes: mode === 'observe',
    changed,
  });
  const admission = createAdmission(context, {
    options,
    staleness: view.staleness,
    enforcement,
    scales: owners.scales,
    self,
    namespaces: views.namespaces,
    events: createLedgerEvents(context.metrics, log),
    observer: decisionObserver({
      metrics: createDecisionMetrics(context.metrics),
      log,
      audit: createAudit(log, context.metrics, self),
      events: disruptionEvents(recorder, uidsFrom(world, views)),
    }),
  });
  const guard = new GuardController({ context, views });
  const guardState = new GuardState({
    clock,
    namespaces: views.namespaces,
    foreignWebhooks,
    own: settings.namespace,
    observes: mode === 'observe',
    startingIn: (namespace) => enforcement.startingIn(namespace),
    changed,
  });
  createGuardMetrics(context.metrics, world, (namespace) => guardState.guardOf(namespace));
  const status = new StatusController({
    context,
    views,
    guardOf: (namespace) => guardState.guardOf(namespace),
    recorder,
    pubsPaused: () => foreignWebhooks.kruiseOwnsPubs(),
    projects: projects({ takeover: settings.takeover, projection: settings.projection ?? 'on', mode }),
    budgetMetrics: settings.budgetMetrics ? createBudgetMetrics(context.metrics, clock) : noBudgetMetrics,
  });
  const enforced = (settings.featureGates ?? defaultFeatureGates)[enforcedRolloutGate];
  const isObserved = (namespace: string) => admission.guards.modeOf(namespace) === 'observe';
  // A repair deletes pods, and who observes deletes nothing. Where a label alone says so, the admission policy keeps it from deleting.
  const rollouts = enforced && mode === 'enforce' ? new RolloutController({ context, traits, recorder }) : undefined;
  touched.add(guard);
  touched.add(status);
  touched.add(admission.sizes);
  const handlers = new Map<string, WebhookHandler>([
    [webhookPaths.pods, admission.handler],
    [
      webhookPaths.budgets,
      observedHandler(
        budgetsHandler({
          pubs: views.pubs,
          client: clients.admission,
          clock,
          leftToOthers: () => foreignWebhooks.kruiseOwnsPubs(),
        }),
        isObserved,
      ),
    ],
    [webhookPaths.statefulSets, observedHandler(statefulSetsHandler({ enabled: enforced }), isObserved)],
    [webhookPaths.probes, observedHandler(probesHandler(settings.allowProbeHosts ?? []), isObserved)],
    [webhookPaths.pinning, pinHandler({ world, pods: admission.pods, guards: admission.guards })],
    [webhookPaths.projection, idleWhereObserved(projectionHandler(), isObserved)],
  ]);
  return {
    connection,
    context,
    traits,
    view,
    owners,
    foreignWebhooks,
    admission,
    guard,
    guardState,
    enforcement,
    status,
    rollouts,
    recorder,
    handlers,
    setOwnName(name) {
      self.username = name;
    },
  };
}

function contextOf(
  { identity, namespace }: OperatorSettings,
  { clock, random, log, runtimeMetrics = true }: OperatorRuntime,
  connection: Connection,
): OperatorContext {
  return {
    world: new World(),
    clients: createClients(connection, operatorPurposeLimits, clock),
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
    report: (message) => log.debug('an event could not be written', { error: message }),
  });
}

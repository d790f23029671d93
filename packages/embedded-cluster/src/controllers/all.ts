import type { Client } from '../client.ts';
import { type ControlPlane, serviceResolver } from '../control-plane.ts';
import { type NodesOptions, startNodes } from '../nodes/nodes.ts';
import { startApiServiceController } from './apiservice/api-service-controller.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { conversionsByWebhook } from './crd/conversions.ts';
import { startCrdController } from './crd/crd-controller.ts';
import { startCronJobController } from './cronjob/cronjob-controller.ts';
import { startDaemonSetController } from './daemonset/daemonset-controller.ts';
import { startDeploymentController } from './deployment/deployment-controller.ts';
import { startDisruptionController } from './disruption/disruption-controller.ts';
import { startEndpointsController } from './endpoints/endpoints-controller.ts';
import { startEventExpiryController } from './events/event-expiry-controller.ts';
import { startGarbageCollector } from './garbage/garbage-collector.ts';
import { startJobController } from './job/job-controller.ts';
import { startTtlAfterFinishedController } from './job/ttl-controller.ts';
import { startLeaderWorkerSetController } from './leaderworkerset/lws-controller.ts';
import { startNamespaceController } from './namespace/namespace-controller.ts';
import { startNodeLifecycleController } from './nodelifecycle/node-lifecycle-controller.ts';
import { startTaintEvictionController } from './nodelifecycle/taint-eviction-controller.ts';
import { startPodGcController } from './podgc/pod-gc-controller.ts';
import { startPolicyStatusController } from './policystatus/policy-status-controller.ts';
import { startQuotaController } from './quota/quota-controller.ts';
import { startReplicaSetController, startReplicationController } from './replicaset/replicaset-controller.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import { startRootCaController } from './serviceaccount/root-ca-controller.ts';
import { startServiceAccountController } from './serviceaccount/service-account-controller.ts';
import { startStatefulSetController } from './statefulset/statefulset-controller.ts';
import { startVolumeBinder } from './volumes/volume-binder.ts';
import { startPodGroupProtectionController } from './workload/pod-group-protection-controller.ts';

export interface ControllersOptions {
  readonly plane: ControlPlane;
  readonly caCertificate: string;
  readonly speed: number;
  /** False: pods of simulated nodes open no ports, as virtual time wants it. */
  readonly sockets: boolean;
  /** What pods of simulated nodes show where a probe speaks HTTPS. PEM. */
  readonly certificate: { readonly certificate: string; readonly key: string };
  clientForNode(node: string): Client;
  /** Absent: as on any cluster of ours. */
  readonly pace?: Pace;
}

/** How simulated nodes behave. */
export interface Pace extends Pick<NodesOptions, 'startDelayMs' | 'stopDelayMs' | 'jobRunMs' | 'lifecycleEvents'> {
  /** False: nodes never fall silent, and no controller has to check whether they did. */
  readonly heartbeats: boolean;
  /** False: controllers write no events of type Normal. Absent: they do. */
  readonly controllerEvents?: boolean;
}

/** What the API needs to serve what CRDs define. Before all others, because they look at such objects, too. */
export function startApiControllers(context: ControllerContext, { types, view }: ControlPlane): Controller[] {
  const convertByWebhook = conversionsByWebhook({ ...context, resolveService: serviceResolver(view) });
  return [startCrdController(context, { types, convertByWebhook })];
}

/** Everything that makes workloads live: one controller for each promise. */
export function startControllers(context: ControllerContext, options: ControllersOptions): Controller[] {
  const { types, registry, quotas } = options.plane;
  return [
    startNamespaceController(context, { types, store: registry.store }),
    startGarbageCollector(context, { types, store: registry.store }),
    startEventExpiryController(context, { store: registry.store }),
    startServiceAccountController(context),
    startRootCaController(context, { caCertificate: options.caCertificate }),
    startApiServiceController(context, { types }),
    startPolicyStatusController(context, { types }),
    startEndpointsController(context),
    startQuotaController(context, { quotas }),
    startVolumeBinder(context),
    startPodGcController(context),
    startReplicaSetController(context),
    startReplicationController(context),
    startDeploymentController(context),
    startStatefulSetController(context),
    startDaemonSetController(context),
    startJobController(context),
    startCronJobController(context),
    startTtlAfterFinishedController(context),
    startLeaderWorkerSetController(context),
    startPodGroupProtectionController(context),
    startDisruptionController(context, { types }),
    startScheduler(context),
    startNodeLifecycleController(context, { monitor: options.pace?.heartbeats ?? true }),
    startTaintEvictionController(context),
    startNodes(context, { ...options, ...options.pace }),
  ];
}

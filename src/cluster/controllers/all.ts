import { startClusterRoleAggregation } from '../auth/cluster-role-aggregation.ts';
import type { Client } from '../client.ts';
import { type ControlPlane, serviceResolver } from '../control-plane.ts';
import { startNodes } from '../nodes/nodes.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { conversionsByWebhook } from './crd/conversions.ts';
import { startCrdController } from './crd/crd-controller.ts';
import { startDaemonSetController } from './daemonset/daemonset-controller.ts';
import { startDeploymentController } from './deployment/deployment-controller.ts';
import { startJobController } from './job/job-controller.ts';
import { startTtlAfterFinishedController } from './job/ttl-controller.ts';
import { startNamespaceController } from './namespace/namespace-controller.ts';
import { startReplicaSetController, startReplicationController } from './replicaset/replicaset-controller.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import { startStatefulSetController } from './statefulset/statefulset-controller.ts';

export interface ControllersOptions {
  readonly plane: ControlPlane;
  readonly caCertificate: string;
  /** False: only what the API itself needs (CRDs, role aggregation); workloads stay as they are written. */
  readonly workloads: boolean;
  readonly speed: number;
  /** False: pods of simulated nodes open no ports, as virtual time wants it. */
  readonly sockets: boolean;
  clientForNode(node: string): Client;
}

/** Everything that keeps the cluster's word: one controller for each promise. */
export function startControllers(context: ControllerContext, options: ControllersOptions): Controller[] {
  const { types, view, registry } = options.plane;
  const convertByWebhook = conversionsByWebhook({ ...context, resolveService: serviceResolver(view) });
  const controllers: Controller[] = [
    startClusterRoleAggregation(context),
    startCrdController(context, { types, convertByWebhook }),
  ];
  if (!options.workloads) return controllers;
  return [
    ...controllers,
    startNamespaceController(context, { types, store: registry.store }),
    startReplicaSetController(context),
    startReplicationController(context),
    startDeploymentController(context),
    startStatefulSetController(context),
    startDaemonSetController(context),
    startJobController(context),
    startTtlAfterFinishedController(context),
    startScheduler(context),
    startNodes(context, { clientForNode: options.clientForNode, speed: options.speed, sockets: options.sockets }),
  ];
}

import { startClusterRoleAggregation } from './auth/rbac/cluster-role-aggregation.ts';
import { nodeUser, systemUser } from './auth/user.ts';
import { bootstrap } from './bootstrap.ts';
import type { ControlPlane } from './control-plane.ts';
import { type ControllersOptions, startApiControllers, startControllers } from './controllers/all.ts';
import type { Controller, ControllerContext } from './controllers/controller.ts';
import { startFlowSchemaController } from './controllers/flowcontrol/flow-schema-controller.ts';
import type { Clock } from './time/clock.ts';
import type { Random } from './time/random.ts';

export interface PartsTerms {
  readonly clock: Clock;
  readonly random: Random;
  /** Puts into the store what is to be there before any controller looks. */
  readonly prepare?: ((plane: ControlPlane) => Promise<void>) | undefined;
  /** Undefined: an API server alone, without controllers and nodes. */
  readonly acting: Omit<ControllersOptions, 'plane' | 'clientForNode'> | undefined;
  readonly report: (message: string, error: unknown) => void;
}

/** What makes an API into a cluster, in the order in which it has to be there. Stopping it stops what was added so far. */
export async function startParts(plane: ControlPlane, terms: PartsTerms, controllers: Controller[]): Promise<void> {
  const { clock, random, prepare, acting, report } = terms;
  const context: ControllerContext = {
    view: plane.view,
    clock,
    random,
    clientFor: plane.controllerClient,
    report: (controller, key, error) => report(`${controller}: ${key}`, error),
    normalEvents: acting?.pace?.controllerEvents ?? true,
  };
  controllers.push(...startApiControllers(context, plane));
  await prepare?.(plane);
  await bootstrap(plane.clientFor(systemUser, 'kube-apiserver'), plane.view);
  controllers.push(startClusterRoleAggregation(context), startFlowSchemaController(context));
  if (acting === undefined) return;
  const clientForNode = (node: string) => plane.clientFor(nodeUser(node), 'kubelet');
  controllers.push(...startControllers(context, { ...acting, plane, clientForNode }));
}

import { isApiError } from '../../errors.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import type { KubeObject } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';

const name = 'apiservice-registration-controller';
const services = 'apiregistration.k8s.io/apiservices';
/** Marks those that come and go with what is served. */
const automatic = 'kube-aggregator.kubernetes.io/automanaged';

export interface ServedGroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Which services are missing, and which say something that is not served any more. */
export function planServices(served: readonly ServedGroupVersion[], present: readonly KubeObject[]) {
  const wanted = new Map(served.map((one) => [`${one.version}.${one.group}`, one]));
  const names = new Set(present.map(({ metadata }) => metadata.name));
  return {
    create: [...wanted]
      .filter(([serviceName]) => !names.has(serviceName))
      .map(([serviceName, one]) => serviceOf(serviceName, one)),
    remove: present.filter(({ metadata }) => metadata.labels?.[automatic] !== undefined && !wanted.has(metadata.name)),
  };
}

/** The order of groups is that of discovery, which does not ask these numbers: they are those of custom kinds. */
function serviceOf(serviceName: string, { group, version }: ServedGroupVersion): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: serviceName, labels: { [automatic]: 'true' } },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum: 1000, versionPriority: 100 },
  };
}

/** Has an APIService for every version of every group that is served here. */
export function startApiServiceController(
  context: ControllerContext,
  { types }: { readonly types: ResourceTypes },
): Controller {
  const client = context.clientFor(name);
  const reconciler = new Reconciler(context, {
    name,
    concurrency: 1,
    async reconcile() {
      const served = [...types.all()].map(({ group, version }) => ({ group, version }));
      const { create, remove } = planServices(served, context.view.list(services));
      for (const service of create) await client.create(services, service);
      for (const { metadata } of remove) await client.delete(services, '', metadata.name).catch(ignoreGone);
      for (const service of context.view.list(services)) await markAvailable(service);
      return undefined;
    },
  });
  const markAvailable = async (service: KubeObject) => {
    if (service['status'] !== undefined && JSON.stringify(service['status']) !== '{}') return;
    const lastTransitionTime = timestamp(context.clock.now());
    const local = { reason: 'Local', message: 'Local APIServices are always available' };
    const conditions = [{ type: 'Available', status: 'True', lastTransitionTime, ...local }];
    await writeStatus(client, services, service, { conditions });
  };
  const look = () => reconciler.add('all');
  const watching = ['apiextensions.k8s.io/customresourcedefinitions', services].map((resource) =>
    context.view.watch(resource, look),
  );
  look();
  return {
    stop() {
      for (const watch of watching) watch.stop();
      reconciler.stop();
    },
  };
}

function ignoreGone(error: unknown): void {
  if (!isApiError(error, 404)) throw error;
}

import type { ConvertObjects } from '../../crd/conversion-webhook.ts';
import type { Crd } from '../../crd/crd.ts';
import { namesOfOthers, nextCrdStatus, type TakenNames } from '../../crd/crd-status.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import type { MutableResourceTypes } from '../../kinds/resource-types.ts';
import { timestamp } from '../../time/clock.ts';
import type { ViewEvent } from '../../view.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';
import { type CleanupTools, cleanUp } from './cleanup.ts';
import { crds } from './crd-resource.ts';
import { TypePublisher } from './type-publisher.ts';

export interface CrdControllerDeps {
  readonly types: MutableResourceTypes;
  /** Converts through the webhook that the CRD names. */
  convertByWebhook(crd: Crd): ConvertObjects;
}

const controllerName = 'customresourcedefinition-controller';

/**
 * Grants names to CRDs, serves what they define, and clears their objects away when they are deleted. CRDs that are there already
 * are served when this returns; later ones from the very write that says they are established.
 */
export function startCrdController(context: ControllerContext, deps: CrdControllerDeps): Controller {
  const { view } = context;
  const client = context.clientFor(controllerName);
  const publisher = new TypePublisher(deps.types, deps);
  // One at a time: of two CRDs that want the same name, the second must see what the first was granted.
  const naming = new Reconciler(context, {
    name: controllerName,
    concurrency: 1,
    async reconcile(name) {
      const crd = view.get<Crd>(crds, '', name);
      if (!crd) return undefined;
      const taken = namesOfOthers(crd, view.list<Crd>(crds), builtinNames(deps.types, crd.spec.group));
      const status = nextCrdStatus(crd, taken, timestamp(context.clock.now()));
      if (status) await writeStatus(client, crds, crd, status);
      return undefined;
    },
  });
  const tools: CleanupTools = { view, client, clock: context.clock };
  const cleanup = new Reconciler(context, {
    name: 'customresourcedefinition-finalizer',
    reconcile: (name) => cleanUp(tools, name),
  });
  const watching = view.watch(crds, (event) => {
    publish(context, publisher, event);
    const { name } = event.object.metadata;
    if (event.type === 'DELETED') {
      // Names that are free again may be what another CRD of the group has been waiting for.
      for (const other of sameGroup(context, event.object as Crd)) naming.add(other);
      return;
    }
    naming.add(name);
    if (beginsToTerminate(event)) cleanup.add(name);
  });
  return {
    stop() {
      watching.stop();
      naming.stop();
      cleanup.stop();
    },
  };
}

function publish(context: ControllerContext, publisher: TypePublisher, { type, object }: ViewEvent): void {
  try {
    if (type === 'DELETED') publisher.withdraw(object.metadata.name);
    else publisher.publish(object as Crd);
  } catch (error) {
    context.report(controllerName, object.metadata.name, error);
  }
}

/** Not with every later change: most of them are what the cleanup itself says about its progress. */
function beginsToTerminate({ object, previous }: ViewEvent): boolean {
  return object.metadata.deletionTimestamp !== undefined && previous?.metadata.deletionTimestamp === undefined;
}

function sameGroup({ view }: ControllerContext, crd: Crd): string[] {
  return view
    .list<Crd>(crds)
    .filter(({ spec }) => spec.group === crd.spec.group)
    .map(({ metadata }) => metadata.name);
}

function builtinNames(types: ResourceTypes, group: string): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const type of types.all()) {
    if (type.custom || type.group !== group) continue;
    for (const name of [type.plural, type.singular, ...type.shortNames]) if (name) resources.add(name);
    for (const name of [type.kind, type.listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

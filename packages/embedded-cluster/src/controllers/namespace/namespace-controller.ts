import type { NamespaceSpec, NamespaceStatus } from 'kubernetes-types/core/v1.js';
import type { Client } from '../../client.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import type { KubeObject } from '../../objects.ts';
import type { Store } from '../../store/store.ts';
import { timestamp } from '../../time/clock.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { deletionConditions, type Findings } from './conditions.ts';
import { type ContentTools, deleteContents } from './contents.ts';

export interface NamespaceControllerDeps {
  readonly types: ResourceTypes;
  readonly store: Pick<Store, 'subscribe'>;
}

type NamespaceObject = KubeObject & { spec?: NamespaceSpec; status?: NamespaceStatus };

const finalizer = 'kubernetes';
/** Between looks at what is left; every object that goes asks for one, and together they get one. */
const lookAgainMs = 100;
/** Something refuses to be deleted, or nothing has happened for a while. */
const retryMs = 5_000;

/** Empties namespaces that are being deleted, and lets them go when nothing is left in them. */
export function startNamespaceController(context: ControllerContext, deps: NamespaceControllerDeps): Controller {
  const { view } = context;
  const client = context.clientFor('namespace-controller');
  const tools: ContentTools = { view, client, types: deps.types };
  const terminating = new Set<string>();
  const reconciler = new Reconciler(context, {
    name: 'namespace-controller',
    reconcile: (name) => reconcile(context, tools, name),
  });
  const watching = view.watch('namespaces', ({ type, object }) => {
    const { name, deletionTimestamp } = object.metadata;
    if (type === 'DELETED' || deletionTimestamp === undefined) terminating.delete(name);
    else if (!terminating.has(name)) {
      terminating.add(name);
      reconciler.add(name);
    }
  });
  const contents = deps.store.subscribe(({ type, stored }) => {
    const { namespace } = stored.object.metadata;
    if (type === 'DELETED' && namespace !== undefined && terminating.has(namespace)) {
      reconciler.addAfter(namespace, lookAgainMs);
    }
  });
  return {
    stop() {
      watching.stop();
      contents.stop();
      reconciler.stop();
    },
  };
}

async function reconcile(context: ControllerContext, tools: ContentTools, name: string): Promise<Requeue | undefined> {
  const namespace = context.view.get<NamespaceObject>('namespaces', '', name);
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  if (!namespace.spec?.finalizers?.includes(finalizer)) return undefined;
  const findings = await deleteContents(tools, name);
  await say(context, tools.client, name, findings);
  if (findings.failures.length > 0 || findings.remaining.length > 0) return { afterMs: retryMs };
  await tools.client.modify<NamespaceObject>(
    'namespaces',
    '',
    name,
    (draft) => {
      const finalizers = (draft.spec?.finalizers ?? []).filter((one) => one !== finalizer);
      return { ...draft, spec: { ...draft.spec, finalizers } };
    },
    { subresource: 'finalize' },
  );
  return undefined;
}

async function say(context: ControllerContext, client: Client, name: string, findings: Findings): Promise<void> {
  const namespace = context.view.get<NamespaceObject>('namespaces', '', name);
  if (!namespace) return;
  const conditions = deletionConditions(namespace.status?.conditions, findings, timestamp(context.clock.now()));
  await writeStatus(client, 'namespaces', namespace, { ...namespace.status, phase: 'Terminating', conditions });
}

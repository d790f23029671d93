import type { ControlPlane } from '../control-plane.ts';
import { crds } from '../controllers/crd/crd-resource.ts';
import { type Crd, crdHasCondition } from '../crd/crd.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { sim } from '../nodes/annotations.ts';
import type { KubeObject } from '../objects.ts';
import type { Clock } from '../time/clock.ts';
import type { View } from '../view.ts';
import { type LoadOutcome, loadObject, type SnapshotObject } from './load-object.ts';
import { type LoadReport, reportOf } from './load-report.ts';
import { fillGaps } from './missing.ts';

/** How long definitions from a snapshot may take until what they define can be loaded. */
const establishTimeoutMs = 5000;

/**
 * Puts the objects of a snapshot into a cluster whose controllers have not started: with their identity, owners and status,
 * so that what ran goes on running. Nodes become simulated ones.
 */
export async function loadSnapshot(plane: ControlPlane, snapshot: readonly SnapshotObject[]): Promise<LoadReport> {
  const { registry, view } = plane;
  const results: { snapshot: SnapshotObject; outcome: LoadOutcome }[] = [];
  const load = async (objects: readonly SnapshotObject[]) => {
    for (const object of objects)
      results.push({ snapshot: object, outcome: await loadObject(registry, object, adopt) });
  };
  await load(snapshot.filter(isDefinition));
  await definitionsServed(view, registry.clock);
  await load(snapshot.filter((object) => !isDefinition(object)));
  const gaps = fillGaps(plane);
  await registry.store.durable(registry.store.revision);
  return reportOf(results, gaps);
}

function isDefinition({ apiVersion, kind }: SnapshotObject): boolean {
  return apiVersion === 'apiextensions.k8s.io/v1' && kind === 'CustomResourceDefinition';
}

/** A loaded node has no kubelet, so this cluster runs it. */
function adopt(type: ResourceType, draft: KubeObject): void {
  if (type.key === 'nodes') draft.metadata.labels = { ...draft.metadata.labels, [sim.node]: 'true' };
}

/** Resolves when all definitions are established or refused, or when it takes too long: then their objects are reported. */
export async function definitionsServed(view: View, clock: Clock): Promise<void> {
  const undecided = () => view.list<Crd>(crds).some((crd) => !isDecided(crd));
  if (!undecided()) return;
  let stop: () => void = () => undefined;
  await new Promise<void>((resolve) => {
    const timer = clock.after(establishTimeoutMs, resolve);
    const watching = view.watch(crds, () => {
      if (!undecided()) resolve();
    });
    stop = () => {
      timer.cancel();
      watching.stop();
    };
  });
  stop();
}

function isDecided(crd: Crd): boolean {
  const refused = crd.status?.conditions?.some(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  return crdHasCondition(crd, 'Established') || refused === true;
}

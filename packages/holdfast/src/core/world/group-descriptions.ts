import type { PodGroup, Workload } from '../../api/workload.ts';
import type { GroupNode } from './group-node.ts';
import type { NamespaceRecords } from './namespace-state.ts';

/** A Workload came, changed or (undefined) went. */
export function setWorkload(state: NamespaceRecords, name: string, workload: Workload | undefined): void {
  const { groups } = state;
  describe(state, groups.describedByWorkload(name), () => {
    if (workload === undefined) groups.objects.deleteWorkload(name);
    else groups.objects.setWorkload(workload);
  });
}

/** A PodGroup came, changed or (undefined) went. */
export function setPodGroup(
  state: NamespaceRecords,
  apiVersion: string,
  name: string,
  podGroup: PodGroup | undefined,
): void {
  const { groups } = state;
  describe(state, groups.describedByPodGroup(apiVersion, name), () => {
    if (podGroup === undefined) groups.objects.deletePodGroup(apiVersion, name);
    else groups.objects.setPodGroup(podGroup);
  });
}

function describe(state: NamespaceRecords, groups: readonly GroupNode[], mutate: () => void): void {
  const pods = groups.flatMap((group) => [...group.pods]);
  state.change(pods, () => {
    mutate();
    for (const group of groups) {
      const claim = pods.flatMap((pod) => pod.claims).find((one) => one.id === group.id);
      if (claim !== undefined) group.description = state.groups.objects.describe(claim);
    }
  });
  // The number of PodGroup objects is a source of expected groups for budgets over their siblings, too.
  for (const pdb of state.pdbs.values()) if (pdb.units.size > 0) pdb.expectedChanged();
}

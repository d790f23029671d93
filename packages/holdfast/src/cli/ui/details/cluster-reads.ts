import { type Fields, isObject } from '@holdfast/base/json';
import type { Condition } from '@holdfast/base/meta';
import { stringify } from 'yaml';
import { agentsNamespace } from '../../../api/installation-names.ts';
import { annotation } from '../../../api/names.ts';
import { pubGroup } from '../../../api/pub/pub.ts';
import type { ResourceName } from '../../../kube/client/client.ts';
import { printable } from '../../../kube/outcome/printable.ts';
import { probeLeaseName } from '../../../kube/probes/lease-name.ts';
import { type BuiltinStatus, builtinStatusOf } from '../../../observe/once/builtin-status.ts';
import { KindReader } from '../../../observe/once/kind-reader.ts';
import { objectKey } from '../../../observe/once/live-world.ts';
import { resources } from '../../../observe/resources.ts';
import type { ReadSession } from '../../../observe/session.ts';
import type { BudgetKind } from '../../../ui/model.ts';

/** What no watch keeps, and is read when someone asks about one thing. What cannot be read is left out. */

const leases: ResourceName = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespaced: true };

export async function conditionsOfPod(
  session: ReadSession,
  place: { readonly namespace: string; readonly name: string },
): Promise<readonly Condition[]> {
  const found = await new KindReader(session).get<Fields>(resources.pods, place);
  const status = found.kind === 'found' ? found.object['status'] : undefined;
  const conditions = isObject(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? (conditions.filter(isObject) as never) : [];
}

/** The statuses of PodDisruptionBudgets of a namespace, by `namespace/name`. */
export async function builtinStatuses(
  session: ReadSession,
  namespace: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, BuiltinStatus>> {
  const reader = new KindReader(session);
  const statuses = new Map<string, BuiltinStatus>();
  for (const name of names) {
    const found = await reader.get<Fields>(resources.pdbs, { namespace, name });
    if (found.kind === 'found') statuses.set(objectKey(namespace, name), builtinStatusOf(found.object));
  }
  return statuses;
}

/** Who holds the probe lease of a node; empty: it is not known. */
export async function agentOf(session: ReadSession, node: string): Promise<string> {
  const place = { namespace: agentsNamespace, name: probeLeaseName(node) };
  const found = await new KindReader(session).get<Fields>(leases, place);
  const spec = found.kind === 'found' ? found.object['spec'] : undefined;
  const holder = isObject(spec) ? spec['holderIdentity'] : undefined;
  return typeof holder === 'string' ? printable(holder) : '';
}

/** A budget as one would edit it, in YAML; empty: it cannot be read. */
export async function manifestOf(
  session: ReadSession,
  kind: BudgetKind,
  place: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const reader = new KindReader(session);
  const name = kind === 'pdb' ? { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' } : pubKind;
  const resource = await reader.discovery.resourceOf(name);
  if (!resource.ok) return '';
  const found = await reader.get<Fields>(resource.value, place);
  if (found.kind !== 'found') return '';
  const { group, version } = resource.value;
  return manifestText(`${group}/${version}`, name.kind, found.object);
}

const pubKind = { group: pubGroup, kind: 'PodUnavailableBudget' };
/** By kubectl and by the operator: no person edits them. */
const written: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  annotation.disruptionsAllowed,
]);

export function manifestText(apiVersion: string, kind: string, { metadata, spec }: Fields): string {
  const { name, namespace, labels, annotations } = isObject(metadata) ? metadata : {};
  const kept = Object.entries(isObject(annotations) ? annotations : {}).filter(([key]) => !written.has(key));
  return stringify({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(isObject(labels) ? { labels } : {}),
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
    spec,
  });
}

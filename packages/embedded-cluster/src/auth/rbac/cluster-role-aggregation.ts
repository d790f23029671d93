import { isObject, sameJson } from '@holdfast/base/json';
import { matches, parseSelector } from '@holdfast/base/labels/label-selector';
import { type Controller, type ControllerContext, Reconciler } from '../../controllers/controller.ts';
import type { KubeObject } from '../../objects.ts';
import { clusterRolesKey, objects, type PolicyRule, rulesOf } from './rbac-objects.ts';

/** The rules of a ClusterRole that collects those of others; undefined for one that does not. */
export function aggregatedRules(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] | undefined {
  const aggregation = role['aggregationRule'];
  if (!isObject(aggregation)) return undefined;
  const others = all
    .filter((other) => other.metadata.name !== role.metadata.name)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const source of objects(aggregation['clusterRoleSelectors'])) {
    const selector = parseSelector(source, 'clusterRoleSelectors');
    // Validation lets no other selector in; an unreadable one selects nothing.
    if (!selector.ok) continue;
    for (const other of others) {
      if (!matches(selector.value, other.metadata.labels ?? {})) continue;
      for (const rule of rulesOf(other)) rules.set(fingerprint(rule), rule);
    }
  }
  return [...rules.values()];
}

function fingerprint({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

const controller = 'clusterrole-aggregation-controller';

/** Keeps the rules of collecting ClusterRoles current. Any change of any ClusterRole may matter to each of them. */
export function startClusterRoleAggregation(context: ControllerContext): Controller {
  const { view } = context;
  const client = context.clientFor(controller);
  const collecting = new Set<string>();
  const reconciler = new Reconciler(context, {
    name: controller,
    async reconcile(name) {
      await client.modify<KubeObject>(clusterRolesKey, '', name, (draft) => {
        const rules = aggregatedRules(draft, view.list(clusterRolesKey));
        if (rules === undefined || sameJson(rules, draft['rules'] ?? [])) return undefined;
        return { ...draft, rules };
      });
      return undefined;
    },
  });
  const subscription = view.watch(clusterRolesKey, ({ type, object }) => {
    const { name } = object.metadata;
    if (type !== 'DELETED' && isObject(object['aggregationRule'])) collecting.add(name);
    else collecting.delete(name);
    for (const waiting of collecting) reconciler.add(waiting);
  });
  return {
    stop() {
      subscription.stop();
      reconciler.stop();
    },
  };
}

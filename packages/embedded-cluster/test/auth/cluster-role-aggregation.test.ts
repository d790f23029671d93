import { describe, expect, test } from 'vitest';
import { bootstrapRbac } from '../../src/auth/rbac/bootstrap-roles.ts';
import { aggregatedRules, startClusterRoleAggregation } from '../../src/auth/rbac/cluster-role-aggregation.ts';
import { createRbacAuthorizer } from '../../src/auth/rbac/rbac.ts';
import { clusterRolesKey, type PolicyRule, rulesOf } from '../../src/auth/rbac/rbac-objects.ts';
import { rbacStrategies } from '../../src/auth/rbac/rbac-strategies.ts';
import type { User } from '../../src/auth/user.ts';
import type { Client } from '../../src/client.ts';
import type { ControllerContext } from '../../src/controllers/controller.ts';
import { clone, type KubeObject } from '../../src/objects.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import type { FakeView } from './fake-view.ts';
import { asks, clusterRole, clusterRoleBinding, group, rbacKey, rbacView, roleBinding } from './rbac-builders.ts';

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const collects = (name: string, ...labels: Record<string, string>[]): KubeObject => ({
  ...clusterRole(name, []),
  aggregationRule: { clusterRoleSelectors: labels.map((matchLabels) => ({ matchLabels })) },
});

describe('collected rules', () => {
  test('come in the order of selectors and names, each once', () => {
    const all = [
      clusterRole('c', [rule('pods'), rule('nodes')], { a: '1' }),
      clusterRole('b', [rule('secrets'), rule('pods')], { a: '1' }),
      clusterRole('a', [rule('leases')], { b: '1' }),
      clusterRole('d', [rule('events')], { a: '2' }),
    ];
    const resources = (aggregatedRules(collects('x', { a: '1' }, { b: '1' }), all) ?? []).flatMap(
      (one) => one.resources,
    );
    expect(resources).toEqual(['secrets', 'pods', 'nodes', 'leases']);
  });

  test('are not those of the role itself', () => {
    const self = { ...collects('x', {}), rules: [rule('pods')] };
    expect(aggregatedRules(self, [self])).toEqual([]);
  });

  test('are nothing for a role with rules of its own', () => {
    expect(aggregatedRules(clusterRole('x', [rule('pods')]), [])).toBeUndefined();
  });
});

/** Writes go straight into the view; everything else would be a surprise. */
function contextOf(view: FakeView, writes: string[]): ControllerContext {
  const unexpected = () => Promise.reject(new Error('unexpected'));
  const client: Client = {
    bind: unexpected,
    create: unexpected,
    update: unexpected,
    delete: unexpected,
    async modify(resource, namespace, name, change) {
      const object = view.get(resource, namespace, name);
      const changed = object && change(clone(object) as never);
      if (!changed) return undefined;
      writes.push(name);
      view.put(resource, changed);
      return changed;
    },
  };
  const report = (_: string, key: string, error: unknown) => {
    throw new Error(key, { cause: error });
  };
  return { view, clock: new VirtualClock(), random: seededRandom(1), clientFor: () => client, report };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the controller', () => {
  test('keeps collecting roles current, through others that collect, and then rests', async () => {
    const view = rbacView(
      collects('top', { to: 'top' }),
      { ...collects('middle', { to: 'middle' }), metadata: { name: 'middle', labels: { to: 'top' } } },
      clusterRole('bottom', [rule('pods')], { to: 'middle' }),
    );
    const writes: string[] = [];
    const controller = startClusterRoleAggregation(contextOf(view, writes));
    await settle();
    const top = () => rulesOf(view.get(clusterRolesKey, '', 'top') as KubeObject);
    expect(top()).toEqual([rule('pods')]);
    expect(writes).toEqual(['middle', 'top']);
    view.put(clusterRolesKey, clusterRole('bottom', [rule('nodes')], { to: 'middle' }));
    await settle();
    expect(top()).toEqual([rule('nodes')]);
    view.remove(clusterRolesKey, '', 'bottom');
    await settle();
    expect(top()).toEqual([]);
    controller.stop();
    view.put(clusterRolesKey, clusterRole('bottom', [rule('pods')], { to: 'middle' }));
    await settle();
    expect(top()).toEqual([]);
    expect(view.listeners).toBe(0);
  });
});

describe('the default roles', () => {
  async function cluster() {
    const view = rbacView(
      ...bootstrapRbac(),
      clusterRoleBinding('n', 'ClusterRole/cluster-admin', group('root')),
      ...['admin', 'edit', 'view'].map((name) => roleBinding('prod', name, `ClusterRole/${name}`, group(name))),
    );
    const controller = startClusterRoleAggregation(contextOf(view, []));
    await settle();
    controller.stop();
    return createRbacAuthorizer(view);
  }

  test('are valid, and each is there once', () => {
    const all = bootstrapRbac();
    for (const object of all) {
      const strategy = rbacStrategies.get(rbacKey(object));
      expect(strategy?.validate?.(object, undefined as never)).toEqual([]);
      expect(object.metadata.labels).toMatchObject({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
    }
    const names = all.map((object) => `${object.kind} ${object.metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each<[string, string, boolean]>([
    ['view', 'list pods -n prod', true],
    ['view', 'list pods -n test', false],
    ['view', 'get secrets x -n prod', false],
    ['view', 'get pods/log x -n prod', true],
    ['view', 'delete pods x -n prod', false],
    ['view', 'get policy//poddisruptionbudgets x -n prod', true],
    ['edit', 'list pods -n prod', true],
    ['edit', 'get secrets x -n prod', true],
    ['edit', 'create pods/eviction x -n prod', true],
    ['edit', 'create pods/exec x -n prod', true],
    ['edit', 'update policy//poddisruptionbudgets x -n prod', true],
    ['edit', 'create rbac.authorization.k8s.io//roles -n prod', false],
    ['admin', 'create rbac.authorization.k8s.io//roles -n prod', true],
    ['admin', 'create pods/eviction x -n prod', true],
    ['admin', 'create pods -n test', false],
    ['root', 'delete nodes a', true],
    ['root', 'get /metrics', true],
    ['system:authenticated', 'get /apis/apps/v1', true],
    ['system:authenticated', 'get /metrics', false],
    ['system:authenticated', 'create authorization.k8s.io//selfsubjectaccessreviews', true],
    ['system:authenticated', 'list pods -n prod', false],
    ['system:unauthenticated', 'get /version', true],
    ['system:unauthenticated', 'get /apis', false],
    ['system:nodes', 'patch nodes/status a', true],
    ['system:nodes', 'create pods/eviction x -n prod', true],
    ['system:nodes', 'delete nodes a', false],
  ])('%s: %s: %s', async (name, question, allowed) => {
    const who: User = { name: 'anna', groups: [name] };
    expect((await cluster()).decide(asks(who, question)).allowed).toBe(allowed);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../packages/holdfast/src/api/probe-lease.ts';
import { probeLeaseName } from '../../packages/holdfast/src/kube/probes/lease-name.ts';
import { type Rule, userWith } from '../../packages/holdfast/test/cli/live/support.ts';
import { ensureBuilt } from '../../test/support/built.ts';
import { made } from '../support/cluster.ts';
import { leasePath, untilEvictable } from './support/agents.ts';
import { waitCounted } from './support/counted.ts';
import { holdfastFor } from './support/holdfast.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod, pub, workload } from './support/objects.ts';
import { causesOf, expectDone, expectNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

ensureBuilt();
const { cluster, skipped } = await suite();
const holdfast = skipped ? () => Promise.reject(new Error('skipped')) : holdfastFor(cluster.kubeconfig);
const node = skipped ? '' : await addNode(cluster, 'any');

const byShard = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };

/** Pods `a-0`, `a-1`, `b-0`, `b-1` in shards a and b, of which one must serve. */
async function shards(scene: Scene): Promise<void> {
  const names = ['a-0', 'a-1', 'b-0', 'b-1'];
  await scene.addPods(...names.map((name) => pod(name, { node, labels: { app: 'web', shard: name[0] ?? '' } })));
  const budget = pdb('shards', { minAvailable: 1 }, byShard);
  await scene.apply(budget);
  await scene.waitEnforced(budget);
}

describe.skipIf(skipped)('holdfast status', () => {
  it('shows budgets by what they count, the nodes, and an operator that is well', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    const { code, out, err } = await holdfast('status', '-n', scene.namespace);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/pdb\/shards +PodGroup +2 +1 +2 +1 +-\n/);
    expect(out).toMatch(new RegExp(`${node} +Ready +4 +2 +2 +0 +BudgetExhausted \\(2\\)`));
    expect((await holdfast('status', '-n', scene.namespace, '--check')).code).toBe(0);
    expect(out).toMatch(/^1 budget, none blocks \| .* \| operator ok/);
    expect(out).toMatch(/webhooks +ok/);
    expect(out).toMatch(/leader +ok/);
    expect(out).toMatch(new RegExp(`guard +ok +on: ${scene.namespace}`));
  });

  it('says what is down, and the same to programs', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    await scene.setReady('a-0', false);
    const { out } = await holdfast('status', '-n', scene.namespace, '-o', 'json');
    const { budgets, gaps } = JSON.parse(out) as { budgets: object[]; gaps: object[] };
    expect(gaps).toEqual([]);
    expect((await holdfast('status', '-n', scene.namespace, '--check')).code).toBe(1);
    expect(budgets).toMatchObject([
      { available: 1, desired: 1, expected: 2, allowed: 0, down: ['a'], blocked: { message: 'group a is down' } },
    ]);
  });

  it('[K1] says what may not be read, and that the answer is unknown', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    const rules = [
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
      { apiGroups: ['policy', 'policy.kruise.io'], resources: ['*'], verbs: ['get', 'list'] },
    ];
    const kubeconfig = await userWith(cluster, 'reader', rules);
    const { code, out, err } = await holdfastFor(kubeconfig)('status', '-n', scene.namespace);
    const unknown =
      'error: unknown: you may not list disruptionledgers.holdfast.dev (ClusterRole holdfast-view grants it)';
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(unknown);
    const explained = await holdfastFor(kubeconfig)('explain', 'pod/a-0', '-n', scene.namespace);
    expect(explained).toMatchObject({ code: 2, out: '' });
    expect(explained.err).toContain(unknown);
  });
});

/** The roles that the documentation gives to people who may only look. */
function documentedRules(role: string): readonly Rule[] {
  const blocks = readFileSync('docs/reference/cli.md', 'utf8').matchAll(/```yaml\n(apiVersion: rbac[^`]*)```/g);
  const roles = [...blocks].map(([, text = '']) => parse(text) as { metadata: { name: string }; rules: Rule[] });
  return roles.find(({ metadata }) => metadata.name === role)?.rules ?? [];
}

describe.skipIf(skipped)('a person with the roles of the documentation', () => {
  it('[I13] who is no administrator sees every number, and no path of a webhook', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    const reader = holdfastFor(await userWith(cluster, 'looking', documentedRules('holdfast-reader')));
    const { out } = await reader('status', '-n', scene.namespace, '-o', 'json');
    const { gaps, operator, budgets } = JSON.parse(out) as Record<string, Record<string, unknown>[]>;
    expect(gaps).toEqual([]);
    const detail = expect.stringMatching(/^webhook configurations cannot be read: .*forbidden/);
    expect(operator?.filter(({ state }) => state === 'unknown')).toEqual([
      { check: 'webhooks', state: 'unknown', detail },
    ]);
    expect(budgets).toMatchObject([{ available: 2, desired: 1, allowed: 1 }]);
    const explained = await reader('explain', 'pod/a-0', '-n', scene.namespace);
    expect(explained).toMatchObject({ code: 0, err: '' });
  });

  it('who is one misses nothing but the right to ask for evictions', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    await scene.apply(workload('Deployment', 'web', 2), workload('StatefulSet', 'db', 1));
    await scene.waitReady(2, 'app=web,!shard');
    const probe = { 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":80}}' };
    await scene.addPods(pod('asked', { node, labels: { app: 'asked' }, annotations: probe }));
    const rules = [...documentedRules('holdfast-reader'), ...documentedRules('holdfast-reader-webhooks')];
    const reader = holdfastFor(await userWith(cluster, 'documented', rules));
    const { code, out } = await reader('status', '-n', scene.namespace, '-o', 'json');
    const { gaps, operator } = JSON.parse(out) as { gaps: object[]; operator: { check: string; state: string }[] };
    expect({ code, gaps }).toEqual({ code: 0, gaps: [] });
    expect(operator.filter(({ state }) => state === 'unknown')).toEqual([]);
    const explained = await reader('explain', 'pod/a-0', '-n', scene.namespace);
    expect(explained).toMatchObject({ code: 0, err: '' });
    expect(explained.out).toContain('it needs the right to create pods/eviction');
    const drained = await reader('explain', `node/${node}`, '-o', 'json');
    expect((JSON.parse(drained.out) as { gaps: object[] }).gaps).toEqual([]);
  });
});

describe.skipIf(skipped)('holdfast explain', () => {
  it('[I12] is what a refusal names, and works as it stands', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    await scene.setReady('a-0', false);
    const refused = await scene.evict('b-1');
    expectNotNow(refused);
    const hint = causesOf(refused).find(({ reason }) => reason === 'Hint')?.message ?? '';
    const [program, ...args] = hint.split(' ');
    expect(program).toBe('holdfast');
    const { code, out, err } = await holdfast(...args);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain(`Pod ${scene.namespace}/b-1 on ${node}: may not be evicted now.`);
    expect(out).toContain('BudgetExhausted: PDB shards needs 1 available group and has 1');
    expect(out).toContain('its group b is available: 2 of 2 pods count as up, 2 needed');
    expect(out).toMatch(/refuses it \(429\): admission webhook "eviction.holdfast.dev" denied/);
    expect(out).toContain('as expected');
  });

  it('works as a refused delete names it, too', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(pod('a', { node }));
    const budget = pub('all', { minAvailable: 1, protectOperations: ['DELETE'] }, 'v1beta1');
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const refused = await scene.remove('a');
    expectNotNow(refused);
    const hint = causesOf(refused).find(({ reason }) => reason === 'Hint')?.message ?? '';
    expect(hint).toBe(`holdfast explain pod/a -n ${scene.namespace} --operation delete`);
    const deleted = await holdfast(...hint.split(' ').slice(1));
    expect(deleted.code).toBe(1);
    expect(deleted.out).toContain('may not be deleted now');
    expect((await holdfast('explain', 'pod/a', '-n', scene.namespace)).code).toBe(0);
  });

  it('tells a dry run that the built-in check refuses from an eviction that goes through', async () => {
    const scene = await sceneIn(cluster);
    const names = ['a-0', 'a-1', 'b-0', 'b-1'];
    await scene.addPods(...names.map((name) => pod(name, { node, labels: { app: 'web', shard: name[0] ?? '' } })));
    // The rest of a broken group may be evicted, and no number can say so: the built-in check sees that no group may break.
    const budget = pdb('shards', { maxUnavailable: 1 }, byShard);
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.setReady('a-1', false);
    await waitCounted(scene, 'shards', 0);
    const { code, out } = await holdfast('explain', 'pod/a-0', '-n', scene.namespace);
    expect(code).toBe(0);
    expect(out).toContain(
      'completes the eviction itself, so that the built-in check, which would refuse, is not asked',
    );
    expect(out).toMatch(/Kubernetes' own check\n {2}would refuse it/);
    expect(out).toMatch(/refuses it \(429\): (?!admission webhook)/);
    expect(out).toContain('as expected: Holdfast completes no dry run');
    expectDone(await scene.evict('a-0'));
  });

  it('asks nothing of the API server that could change anything', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    const before = (await scene.pods()).map(({ metadata }) => metadata.resourceVersion);
    expect((await holdfast('explain', 'pod/a-0', '-n', scene.namespace)).code).toBe(0);
    expect((await scene.pods()).map(({ metadata }) => metadata.resourceVersion)).toEqual(before);
    expect(await scene.reservations()).toEqual([]);
    const { out } = await holdfast('explain', 'pod/a-0', '-n', scene.namespace, '--no-dry-run');
    expect(out).toContain('not asked');
  });

  it('knows budgets and nodes', async () => {
    const scene = await sceneIn(cluster);
    const own = await addNode(cluster, `${scene.namespace}-own`);
    const names = ['a-0', 'b-0'];
    await scene.addPods(...names.map((name) => pod(name, { node: own, labels: { app: 'web', shard: name[0] ?? '' } })));
    const budget = pdb('shards', { minAvailable: 1 }, byShard);
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const explained = await holdfast('explain', 'pdb/shards', '-n', scene.namespace);
    expect(explained.code).toBe(0);
    expect(explained.out).toContain('group a is available: 1 of 1 pods count as up, 1 needed');
    const drained = await holdfast('explain', `node/${own}`);
    expect(drained.code).toBe(1);
    expect(drained.out).toContain('2 pods that a drain would evict: 1 evictable now, 1 after recovery, 0 blocked');
  });

  it.each([
    ['now, and agrees with the operator', 0, 0, 'confirms it (renewed', 'as expected'],
    [
      'by a clock that is behind, and says that the operator knows better',
      600,
      1,
      'has expired',
      'disagrees with the above',
    ],
  ])('[I4] believes a probe whose lease was renewed %s', async (_, agoSeconds, code, lease, compared) => {
    const scene = await sceneIn(cluster);
    const own = await addNode(cluster, `${scene.namespace}-probed`);
    const probe = { 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":80}}' };
    await scene.addPods(pod('db', { node: own, annotations: probe }));
    const conditions = [{ type: 'Disruptable', status: 'True' }];
    await made(scene.patchPod('db', { status: { conditions } }, 'status'));
    const { uid } = (await scene.pod('db')).body.metadata;
    const place = leasePath(own);
    cluster.cleanUp(place);
    const renewTime = `${new Date(Date.now() - agoSeconds * 1_000).toISOString().slice(0, -1)}000Z`;
    const body = {
      metadata: {
        name: probeLeaseName(own),
        labels: probeLeaseLabels,
        annotations: probeLeaseAnnotations(own, 'agent', [uid]),
      },
      spec: { holderIdentity: 'agent', leaseDurationSeconds: 300, renewTime },
    };
    await made(cluster.request('POST', place.slice(0, place.lastIndexOf('/')), { body }));
    await untilEvictable(scene, 'db');
    const told = await holdfast('explain', 'pod/db', '-n', scene.namespace);
    expect(told.code).toBe(code);
    expect(told.out).toContain(lease);
    expect(told.out).toContain(compared);
    expect(told.err).toContain('note: probe freshness is estimated from lease timestamps');
  });

  it('knows where Holdfast is not asked', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('Deployment', 'web', 2));
    const [first] = await scene.waitReady(2, 'app=web');
    const { code, out } = await holdfast('explain', `pod/${first?.metadata.name}`, '-n', scene.namespace);
    expect(code).toBe(0);
    expect(out).toContain('Holdfast is not asked here: nothing in the namespace needs it');
    expect(out).toMatch(/owners +ReplicaSet web-\w+ \(wants 2\) <- Deployment web \(wants 2\)/);
  });

  it.each([
    [['explain', 'pod/absent'], 'error: pod/absent does not exist in namespace'],
    [['explain', 'node/absent'], 'error: node absent does not exist'],
    [['explain', 'service/a'], 'cannot explain "service"'],
    [['status', '--context', 'nowhere'], 'error: '],
    [['status', '-A', '-n', 'x'], 'cannot be used with'],
  ])('answers %j with 2, a sentence and no stack', async (args, message) => {
    const { code, out, err } = await holdfast(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n {4}at /);
  });
});

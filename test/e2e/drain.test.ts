import { describe, expect, it } from 'vitest';
import { userWith } from '../../packages/holdfast/test/cli/live/support.ts';
import { hasKubectl, kubectlFor } from '../clients/kubectl.ts';
import { type Asked, pass } from '../support/api-proxy.ts';
import { type AvailabilityObserver, byLabel, observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { HoldfastProcess, holdfast, throughProxy } from './support/holdfast-process.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod } from './support/objects.ts';
import { expectDone } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const admin = cluster.kubeconfig;

const shard = 'e2e.holdfast.dev/shard';

/** Pod `s0-1`: member 1 of shard 0. No controller manages it, and no garbage collector looks for an owner. */
function member(name: string, node: string): Named {
  const [group = ''] = name.split('-');
  return pod(name, { node, goes: true, labels: { app: 'web', [shard]: group } });
}

/** Shards of some members each, of which as many must serve as the budget says. */
async function shards(scene: Scene, at: Readonly<Record<string, string>>, minAvailable: number): Promise<void> {
  await scene.addPods(...Object.entries(at).map(([name, node]) => member(name, node)));
  const scope = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': shard };
  const budget = pdb('shards', { minAvailable }, { ...scope, 'holdfast.dev/group-min-available': '2' });
  await scene.apply(budget);
  await scene.waitEnforced(budget);
}

async function nodesFor(scene: Scene, ...names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(names.map((one) => addNode(cluster, `${scene.namespace}-${one}`)));
}

function observe(scene: Scene): Promise<AvailabilityObserver> {
  return observeAvailability(cluster, { namespace: scene.namespace, unitOf: byLabel(shard), minimum: 2 });
}

/** The shards in the order in which their first two pods went, each once for each time that it was begun with. */
function begun({ moments }: AvailabilityObserver): readonly string[] {
  const went = moments.flatMap(({ change }) => /^(s\d+)-[01] does not serve$/.exec(change)?.[1] ?? []);
  return went.filter((one, index) => one !== went[index - 1]);
}

async function podsOn(scene: Scene, nodes: readonly string[]): Promise<readonly string[]> {
  const pods = await scene.pods();
  return pods.filter(({ spec }) => nodes.includes(String(spec['nodeName']))).map(({ metadata }) => metadata.name);
}

async function isCordoned(node: string): Promise<boolean> {
  return (await made(cluster.request('GET', `/api/v1/nodes/${node}`))).spec['unschedulable'] === true;
}

/** Another process starts first, on a machine that may have other things to do. */
const patiently = { withinMs: 90_000 };

const isWrite = ({ method }: Asked) => method !== 'GET';
const isEviction = ({ method, path }: Asked) => method === 'POST' && /\/eviction(\?|$)/.test(path);

/** A user who may do everything, by a token: a proxy cannot pass on certificates. */
function tokenUser(scene: Scene): Promise<string> {
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  return userWith({ ...cluster, namespace: scene.namespace }, `drainer-${scene.namespace}`, rules);
}

describe.skipIf(skipped).concurrent('holdfast drain', () => {
  it('[D1] takes one shard after the other, waits for the budget, and never goes below it', async () => {
    const scene = await sceneIn(cluster);
    const [a = '', b = '', c = ''] = await nodesFor(scene, 'a', 'b', 'c');
    await shards(scene, { 's0-0': a, 's0-1': b, 's1-0': a, 's1-1': b, 's2-0': a, 's2-1': b }, 1);
    await scene.addPods(pod('free', { node: a, goes: true, labels: { app: 'other' } }));
    const observer = await observe(scene);
    const drain = new HoldfastProcess(admin, 'drain', a, b, '--force');
    await waitUntil(
      'the last shard is refused',
      () => drain.out,
      (out) => /s\d-\d on \S+: refused: PDB shards requires the only group that exists/.test(out),
      patiently,
    );
    const [left = ''] = (await podsOn(scene, [a, b])).map((name) => name.slice(0, 2));
    const back = ['s0', 's1', 's2'].find((one) => one !== left) ?? '';
    await scene.addPods(member(`${back}-2`, c), member(`${back}-3`, c));
    const { code, out, err } = await drain.ended;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain(`7 of 7 pods deleted`);
    expect(err).toContain('no controller; will not be recreated');
    expect(await podsOn(scene, [a, b])).toEqual([]);
    expect([await isCordoned(a), await isCordoned(b), await isCordoned(c)]).toEqual([true, true, false]);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(1);
    expect(begun(observer), observer.describe()).toHaveLength(3);
    observer.close();
  });

  it('[D1] finishes a shard that is broken already before it opens another', async () => {
    const scene = await sceneIn(cluster);
    const [a = ''] = await nodesFor(scene, 'a');
    await shards(scene, { 's0-0': a, 's0-1': a, 's1-0': a, 's1-1': a, 's2-0': a, 's2-1': a }, 0);
    await scene.setReady('s2-0', false);
    const observer = await observe(scene);
    const { code, err } = await holdfast(admin, 'drain', a, '--force', '--timeout', '100s');
    expect({ code, err }).toMatchObject({ code: 0 });
    await observer.caughtUp();
    expect(begun(observer)[0], observer.describe()).toBe('s2');
    expect(begun(observer), observer.describe()).toHaveLength(3);
    observer.close();
  });

  it('[D4] leaves nodes cordoned after Ctrl-C, says so, and goes on when it is run again', async () => {
    const scene = await sceneIn(cluster);
    const [a = '', b = ''] = await nodesFor(scene, 'a', 'b');
    await shards(scene, { 's0-0': a, 's0-1': a, 's1-0': a, 's1-1': a }, 1);
    const drain = new HoldfastProcess(admin, 'drain', a, '--force');
    await waitUntil(
      'it waits',
      () => drain.out,
      (out) => /refused: /.test(out) && /s0-1 on \S+: deleted/.test(out),
      patiently,
    );
    const { code, err } = await drain.interrupt();
    expect(code).toBe(130);
    expect(err).toContain(`Still cordoned: ${a}.`);
    expect(err).toContain(`kubectl uncordon ${a}`);
    expect(await isCordoned(a)).toBe(true);
    expect(await podsOn(scene, [a])).toEqual(['s1-0', 's1-1']);
    await scene.addPods(member('s0-0', b), member('s0-1', b));
    const again = await holdfast(admin, 'drain', a, '--force', '--timeout', '100s');
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toContain(`node/${a} was cordoned already`);
    expect(again.out).toContain(`2 of 2 pods deleted`);
    expect(await podsOn(scene, [a])).toEqual([]);
  });

  it('gives up at its timeout with 1, and says what is left and why', async () => {
    const scene = await sceneIn(cluster);
    const [a = ''] = await nodesFor(scene, 'a');
    await shards(scene, { 's0-0': a, 's0-1': a }, 1);
    const { code, err } = await holdfast(admin, 'drain', a, '--force', '--timeout', '12s');
    expect(code).toBe(1);
    expect(err).toMatch(/error: not drained within 12s: 0 of 2 pods deleted/);
    expect(err).toMatch(/s0-0 on \S+: refused: PDB shards requires the only group that exists/);
    expect(err).toContain(`kubectl uncordon ${a}`);
  });

  it('[D5] tells with --dry-run what would be evicted in which round and what cannot be, without a single write', async () => {
    const scene = await sceneIn(cluster);
    const [a = ''] = await nodesFor(scene, 'a');
    await shards(scene, { 's0-0': a, 's0-1': a, 's1-0': a, 's1-1': a }, 1);
    await scene.addPods(pod('stuck', { node: a, labels: { app: 'never' } }));
    await scene.apply(pdb('never', { maxUnavailable: 0, selector: { matchLabels: { app: 'never' } } }));
    const before = await scene.pods();
    const { proxy, kubeconfig } = await throughProxy(await tokenUser(scene));
    const asked: Asked[] = [];
    proxy.fate = (one) => {
      asked.push(one);
      return pass;
    };
    const { code, out } = await holdfast(kubeconfig, 'drain', a, '--force', '--dry-run');
    await proxy.close();
    expect(code).toBe(1);
    expect(out).toContain(`Draining ${a}: 5 pods (dry run: nothing was written)`);
    expect(out).toMatch(/1 +\S+ +s0-0 +\S*s0 +breaks a group, not recreated +shards \(2 available, 1 needed\)/);
    expect(out).toMatch(/1 +\S+ +s0-1 +\S*s0 +already down, not recreated/);
    // No controller recreates the pods of s0, so s1 waits forever: no second round.
    expect(out).toMatch(/Cannot be evicted:\n +\S+\/s1-0: PDB shards /);
    expect(out).toMatch(/\n +\S+\/stuck: Kubernetes allows no eviction under PDB never/);
    expect(out).toContain('2 of 5 pods can be evicted, in 1 round; 3 cannot.');
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter(isWrite)).toEqual([]);
    expect(await scene.pods()).toEqual(before);
    expect(await isCordoned(a)).toBe(false);
  });

  it('[D3] goes on with other pods after a 500, and comes back to the one that failed', async () => {
    const scene = await sceneIn(cluster);
    const [a = ''] = await nodesFor(scene, 'a');
    await scene.addPods(...['p', 'q', 'r'].map((name) => pod(name, { node: a, goes: true })));
    const { proxy, kubeconfig } = await throughProxy(await tokenUser(scene));
    const evictions: string[] = [];
    const message = 'Internal error occurred: failed calling webhook "eviction.holdfast.dev": connection refused';
    const failure = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 500,
      reason: 'InternalError',
      message,
    };
    proxy.fate = (asked) => {
      if (!isEviction(asked)) return pass;
      const name = /pods\/([^/]+)\/eviction/.exec(asked.path)?.[1] ?? '';
      evictions.push(name);
      const isFirst = evictions.filter((one) => one === 'p').length === 1;
      return name === 'p' && isFirst ? { kind: 'answer', code: 500, body: failure } : pass;
    };
    const { code, out, err } = await holdfast(kubeconfig, 'drain', a, '--force', '--timeout', '100s');
    await proxy.close();
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toMatch(/\/p on \S+: failed: .*failed calling webhook/);
    expect([...evictions].sort()).toEqual(['p', 'p', 'q', 'r']);
    expect(evictions.at(-1)).toBe('p');
  });

  it('[D4] takes a pod of the same name for gone, and leaves the new one alone', async () => {
    const scene = await sceneIn(cluster);
    const [a = '', b = ''] = await nodesFor(scene, 'a', 'b');
    await scene.addPods(pod('twin', { node: a, goes: true }));
    const { proxy, kubeconfig } = await throughProxy(await tokenUser(scene));
    let evictions = 0;
    proxy.fate = async (asked) => {
      // The answer is what tells it first, and not a list of the node.
      if (evictions > 0 && asked.path.includes('spec.nodeName')) {
        await waitUntil(
          'the eviction was answered',
          () => proxy.answers,
          (answers) => answers.some(isEviction),
        );
      }
      if (!isEviction(asked)) return pass;
      evictions += 1;
      // Another client was faster, and another pod has the name before the request arrives.
      expectDone(await scene.remove('twin', { body: { gracePeriodSeconds: 0 } }));
      await waitUntil(
        'the old one is gone',
        () => scene.pod('twin'),
        ({ code }) => code === 404,
      );
      await scene.addPods(pod('twin', { node: b, goes: true }));
      return pass;
    };
    const { code, out, err } = await holdfast(kubeconfig, 'drain', a, '--force', '--timeout', '100s');
    expect(proxy.answers.filter(isEviction).map((one) => one.code)).toEqual([409]);
    await proxy.close();
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('1 of 1 pods deleted');
    expect(evictions).toBe(1);
    expect(await podsOn(scene, [b])).toEqual(['twin']);
  });

  it('needs no more rights than kubectl drain, and says what it could not read', async () => {
    const scene = await sceneIn(cluster);
    const [a = ''] = await nodesFor(scene, 'a');
    await shards(scene, { 's0-0': a, 's0-1': a, 's1-0': a, 's1-1': a }, 0);
    const user = await userWith({ ...cluster, namespace: scene.namespace }, `drainer-${scene.namespace}`, [
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
    ]);
    const { code, out, err } = await holdfast(user, 'drain', a, '--force', '--timeout', '100s');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('4 of 4 pods deleted');
    expect(err).toMatch(
      /warning: you may not read .*poddisruptionbudgets.*: pods are taken group by group only as far/,
    );
  });

  it('chooses nodes by their labels, and has no more pods on their way than it may', async () => {
    const scene = await sceneIn(cluster);
    const [a = '', b = ''] = await nodesFor(scene, 'a', 'b');
    const label = `pool-${scene.namespace}`;
    for (const node of [a, b]) {
      const body = { metadata: { labels: { [label]: 'yes' } } };
      await made(
        cluster.request('PATCH', `/api/v1/nodes/${node}`, { contentType: 'application/merge-patch+json', body }),
      );
    }
    await scene.addPods(...['p', 'q', 'r'].map((name) => pod(name, { node: name === 'p' ? a : b, goes: true })));
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const { code, out } = await holdfast(admin, 'drain', '-l', `${label}=yes`, '--force', '--parallel', '1');
    expect(code).toBe(0);
    expect(out).toContain('3 of 3 pods deleted');
    await observer.caughtUp();
    const changes = observer.moments.map(({ change }) => change).filter((one) => !one.startsWith('MODIFIED'));
    // Each pod is deleted before the next one stops serving.
    const order = changes.map((one) => one.replace(/ does not serve$/, '').replace('DELETED ', 'after '));
    for (const name of ['p', 'q', 'r']) expect(order.indexOf(`after ${name}`)).toBe(order.indexOf(name) + 1);
    observer.close();
  });
});

describe.skipIf(skipped || !hasKubectl).concurrent('holdfast drain beside kubectl drain', () => {
  const parent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', controller: true };

  /** One pod for each filter. */
  async function motley(scene: Scene, node: string): Promise<void> {
    const maps = `/api/v1/namespaces/${scene.namespace}/configmaps`;
    const { metadata } = await made(cluster.request('POST', maps, { body: { metadata: { name: 'parent' } } }));
    const ownerReferences = [{ ...parent, uid: metadata.uid }];
    const volumes = [{ name: 'scratch', emptyDir: {} }];
    const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
    await scene.addPods(
      pod('managed', { node, ownerReferences }),
      pod('alone', { node }),
      pod('scratch', { node, ownerReferences, spec: { volumes } }),
      pod('mirror', { node, ...mirror }),
    );
  }

  it.each([
    ['nothing', []],
    ['--force', ['--force']],
    ['--delete-emptydir-data', ['--delete-emptydir-data']],
    ['both', ['--force', '--delete-emptydir-data']],
    ['a selector that leaves the others out', ['--pod-selector=app=managed']],
  ] as const)('takes the same pods and ends alike with %s', async (_, flags) => {
    const scene = await sceneIn(cluster);
    const [a = ''] = await nodesFor(scene, 'a');
    await motley(scene, a);
    await scene.patchPod('managed', { metadata: { labels: { app: 'managed' } } });
    const kubectl = await kubectlFor(admin, scene.namespace);
    const theirs = await kubectl(`drain ${a} --dry-run=client ${flags.join(' ')}`.trim());
    const ours = await holdfast(admin, 'drain', a, '--dry-run', ...flags);
    await kubectl.close();
    expect(ours.code, ours.err).toBe(theirs.code);
    const named = ['managed', 'alone', 'scratch', 'mirror'];
    const evicted = named.filter((name) => theirs.out.includes(`evicting pod ${scene.namespace}/${name} `));
    expect(named.filter((name) => new RegExp(`^\\d+ +\\S+ +${name} `, 'm').test(ours.out))).toEqual(evicted);
  });
});

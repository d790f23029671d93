import { afterAll, describe, expect, it } from 'vitest';
import { withSession } from '../../packages/holdfast/src/cli/live/session.ts';
import { readStatus } from '../../packages/holdfast/src/cli/status/report.ts';
import { summaryText } from '../../packages/holdfast/src/cli/status/summary.ts';
import type { RunningUi } from '../../packages/holdfast/src/cli/ui/open-ui.ts';
import { accessOf, mergeKubeconfigs, parseKubeconfig } from '../../packages/holdfast/src/kube/config/kubeconfig.ts';
import { KindReader } from '../../packages/holdfast/src/observe/once/kind-reader.ts';
import { readWorld } from '../../packages/holdfast/src/observe/once/read-world.ts';
import { everywhere } from '../../packages/holdfast/src/observe/once/scope.ts';
import type { BudgetDetail, NodeDetail, PodDetail } from '../../packages/holdfast/src/ui/details.ts';
import type { DrainPod } from '../../packages/holdfast/src/ui/model.ts';
import type { WhatIfJob } from '../../packages/holdfast/src/ui/what-if.ts';
import { kubeconfigFile, userWith, viewerOf } from '../../packages/holdfast/test/cli/live/support.ts';
import { made } from '../support/cluster.ts';
import { ConnectionProxy } from '../support/connection-proxy.ts';
import { FollowingPage, getJson, postJson, uiOn } from './support/following-page.ts';
import { buildHoldfast, holdfastFor } from './support/holdfast.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod, workload } from './support/objects.ts';
import { expectNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

buildHoldfast();
const { cluster, skipped } = await suite();
const node = skipped ? '' : await addNode(cluster, 'shown');
const admin = kubeconfigFile(cluster.kubeconfig);

const opened: (RunningUi | FollowingPage)[] = [];
afterAll(async () => {
  for (const one of opened.reverse()) await one.close();
});

/** A server, and a page that follows it. */
async function shown(kubeconfig = admin, more: { readonly namespace?: string } = {}) {
  const ui = await uiOn(kubeconfig, more);
  const page = new FollowingPage(ui);
  opened.push(ui, page);
  return { ui, page };
}

const byShard = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };

/** Pods `a-0`, `a-1`, `b-0`, `b-1` in shards a and b on one node, of which one must serve. */
async function shards(): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const names = ['a-0', 'a-1', 'b-0', 'b-1'];
  await scene.addPods(...names.map((name) => pod(name, { node, labels: { app: 'web', shard: name[0] ?? '' } })));
  const budget = pdb('shards', { minAvailable: 1 }, byShard);
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return scene;
}

/** What `holdfast status -A` says in one line. */
function statusLine(): Promise<string> {
  return withSession({ kubeconfig: admin }, async (session) => {
    const live = await readWorld(session, { scope: everywhere });
    return summaryText((await readStatus(new KindReader(session), live, undefined)).summary);
  });
}

describe.skipIf(skipped)('holdfast ui', () => {
  it('shows a group break and mend, as events, and sums up as holdfast status does', async () => {
    const scene = await shards();
    const { ui, page } = await shown();
    await page.untilLive();
    const key = `pdb/${scene.namespace}/shards`;
    const before = await page.until('the budget is shown', ({ budgets }) => budgets.some((one) => one.key === key));
    expect(before.budgets.find((one) => one.key === key)).toMatchObject({ available: 2, desired: 1, allowed: 1 });
    const rows = before.groups.filter(({ budget }) => budget === key);
    expect(rows.map(({ name, available, dots }) => [name, available, dots.length])).toEqual([
      ['a', true, 2],
      ['b', true, 2],
    ]);
    await waitUntil('the lines are the same', statusLine, (line) => line === page.model?.head.summary);

    const startedAt = Date.now();
    await scene.setReady('a-0', false);
    const broken = await page.until('group a is down', ({ groups }) =>
      groups.some(({ budget, name, available }) => budget === key && name === 'a' && !available),
    );
    const bar = broken.budgets.find((one) => one.key === key);
    expect(bar).toMatchObject({
      available: 1,
      allowed: 0,
      down: { count: 1, names: ['a'] },
      blocked: { code: 'BudgetExhausted', message: 'group a is down', sinceStart: false },
    });
    expect(bar?.blocked?.help).toContain('1 more group');
    expect(bar?.blocked?.since).toBeGreaterThan(startedAt - 1_000);
    const dot = broken.groups.find(({ budget, name }) => budget === key && name === 'a')?.dots[0];
    expect(dot).toMatchObject({ name: 'a-0', state: 'down', why: 'is not ready' });
    // Deltas only: what did not change is not sent again.
    const delta = page.deltas.find(({ groups }) => groups?.put.some(({ available }) => !available) === true);
    expect(delta?.nodes?.put.every((one) => one.key === node) ?? true).toBe(true);
    expect(page.kinds.filter((kind) => kind === 'snapshot')).toHaveLength(1);
    await waitUntil('the lines are the same', statusLine, (line) => line === page.model?.head.summary);

    await scene.setReady('a-0', true);
    const mended = await page.until('group a is up', ({ budgets }) =>
      budgets.some((one) => one.key === key && one.blocked === undefined),
    );
    const lanes = mended.lanes.filter((lane) => lane.title.includes(scene.namespace));
    expect(lanes.map(({ kind, spans }) => [kind, spans.length, spans[0]?.to !== undefined])).toEqual([
      ['budgetAtLimit', 1, true],
      ['unitDown', 1, true],
    ]);
    // The whole model is the same as the one that came by events.
    await waitUntil(
      'page and server agree',
      async () => JSON.stringify((await getJson(ui, '/api/model')).value) === JSON.stringify(page.model),
      (same) => same,
    );
  });

  it('explains nodes, budgets and pods in the words of holdfast explain', async () => {
    const scene = await shards();
    await scene.setReady('a-0', false);
    const { ui, page } = await shown();
    const key = `pdb/${scene.namespace}/shards`;
    await page.until('the budget blocks', ({ budgets }) =>
      budgets.some((one) => one.key === key && one.blocked !== undefined),
    );
    const holdfast = holdfastFor(cluster.kubeconfig);
    const said = await holdfast('explain', 'pod/b-0', '-n', scene.namespace, '--no-dry-run');
    const { value: detail } = await getJson<PodDetail>(ui, `/api/pods/${scene.namespace}/b-0`);
    expect(withoutAges(detail.text)).toBe(withoutAges(said.out.trimEnd()));
    expect(detail).toMatchObject({ yes: false, by: 'holdfast', kubernetes: { may: true } });
    expect(detail.holdfast.blockers).toMatchObject([{ code: 'BudgetExhausted', budget: key, outlook: 'wait' }]);
    expect(detail.commands[0]?.line).toContain(`holdfast explain pod/b-0 -n ${scene.namespace}`);

    const budget = (await getJson<BudgetDetail>(ui, `/api/budgets/${key}`)).value;
    const budgetSaid = await holdfast('explain', 'pdb/shards', '-n', scene.namespace);
    expect(budget.text).toBe(budgetSaid.out.trimEnd());
    expect(budget).toMatchObject({ kubernetes: { expected: 4 }, manifest: expect.stringContaining('minAvailable: 1') });
    expect(budget.groups.map(({ name, available }) => [name, available])).toEqual([
      ['a', false],
      ['b', true],
    ]);

    const nodeSaid = await holdfast('explain', `node/${node}`);
    const detailOfNode = (await getJson<NodeDetail>(ui, `/api/nodes/${node}`)).value;
    expect(detailOfNode.text).toBe(nodeSaid.out.trimEnd());

    for (const path of ['/api/pods/none/none', '/api/nodes/none', '/api/budgets/pdb/none/none', '/api/budgets/x/y/z']) {
      expect((await getJson(ui, path)).code).toBe(404);
    }
  });

  it('shows a drain by any client, what each pod waits for, and refusals by budget', async () => {
    const scene = await shards();
    await scene.setReady('a-0', false);
    const { page } = await shown();
    await page.untilLive();
    const path = `/api/v1/nodes/${node}`;
    const patch = (unschedulable: boolean) =>
      made(
        cluster.request('PATCH', path, {
          body: { spec: { unschedulable } },
          headers: { 'content-type': 'application/merge-patch+json' },
        }),
      );
    await patch(true);
    try {
      const begun = await page.until('the node is drained', ({ drains }) => drains.some(({ key }) => key === node));
      const drain = begun.drains.find(({ key }) => key === node);
      expect(drain).toMatchObject({ state: 'draining', sinceStart: false });
      expectNotNow(await scene.evict('b-0'));
      const told = await page.until('the refusal is told', ({ refusals }) =>
        refusals.some(({ key }) => key === `pdb/${scene.namespace}/shards`),
      );
      const row = told.refusals.find(({ key }) => key === `pdb/${scene.namespace}/shards`);
      expect(row).toMatchObject({ pod: 'b-0', namespace: scene.namespace });
      expect(row?.message).toContain('was refused');
      expect((await scene.evict('a-1')).code).toBeLessThan(300);
      const isLeaving = ({ namespace, name, state }: DrainPod) =>
        namespace === scene.namespace && name === 'a-1' && state === 'leaving';
      await page.until('the pod leaves', ({ drains }) =>
        drains.some(({ key, pods }) => key === node && pods.some(isLeaving)),
      );
      // Pods of these scenes have a finalizer, so that tests see them leave.
      await scene.patchPod('a-1', { metadata: { finalizers: null } });
      await page.until('the pod left', ({ drains }) => drains.some(({ key, evicted }) => key === node && evicted > 0));
    } finally {
      await patch(false);
    }
    await page.until('the drain is over', ({ drains }) => drains.every(({ key }) => key !== node));
  });

  it('says since when the API server is lost, shows what it knew, and goes on by itself', async () => {
    const scene = await shards();
    const access = accessOf(mergeKubeconfigs([parseKubeconfig(cluster.kubeconfig, '/')]), undefined);
    const proxy = await ConnectionProxy.start(access);
    const through = cluster.kubeconfig.replaceAll(access.server.origin, proxy.through(access).server.origin);
    const { ui, page } = await shown(kubeconfigFile(through));
    await page.untilLive();
    const key = `pdb/${scene.namespace}/shards`;
    await page.until('the budget is shown', ({ budgets }) => budgets.some((one) => one.key === key));
    const cutAt = Date.now();
    proxy.cutOff();
    const lost = await page.until('it is stale', ({ head }) => head.data.kind === 'stale');
    expect(lost.budgets.some((one) => one.key === key)).toBe(true);
    const { data } = lost.head;
    if (data.kind !== 'stale') throw new Error('it was stale');
    // The view was last known to be current before it was cut, and not long before.
    expect(data.since).toBeLessThanOrEqual(cutAt + 2_000);
    expect(data.since).toBeGreaterThan(cutAt - 15_000);
    expect((await getJson(ui, '/api/model')).code).toBe(200);
    expect((await getJson(ui, `/api/pods/${scene.namespace}/a-0`)).code).toBe(503);
    await scene.setReady('a-0', false);
    proxy.restore();
    const back = await page.until('it is live, and has what happened meanwhile', ({ head, budgets }) => {
      return head.data.kind === 'live' && budgets.some((one) => one.key === key && one.blocked !== undefined);
    });
    expect(back.head.data).toEqual({ kind: 'live' });
    expect(page.kinds).toEqual(expect.arrayContaining(['stale', 'live']));
    await page.close();
    await ui.close();
    await proxy.close();
  });

  it('shows a user with the role view what that role shows, and says what it does not', async () => {
    const scene = await shards();
    const { page } = await shown(kubeconfigFile(await viewerOf(cluster, 'looking')));
    const key = `pdb/${scene.namespace}/shards`;
    const model = await page.until('the budget is shown', ({ head, budgets }) => {
      return head.data.kind === 'live' && budgets.some((one) => one.key === key);
    });
    expect(model.budgets.find((one) => one.key === key)).toMatchObject({ available: 2, allowed: 1 });
    expect(model.head.gaps.map(({ what, hidesEverything }) => [what, hidesEverything])).toContainEqual([
      'nodes',
      false,
    ]);
    expect(model.head.gaps.every(({ hidesEverything }) => !hidesEverything)).toBe(true);
    expect(model.head.operator.state).toBe('unknown');
    const tile = await page.until('its node is judged', ({ nodes }) =>
      nodes.some((one) => one.key === node && one.state !== 'unknown'),
    );
    expect(tile.nodes.find((one) => one.key === node)?.ready).toBeUndefined();
  });

  it('shows a user who may read nothing but pods that nothing can be judged, and why', async () => {
    const reading = ['get', 'list', 'watch'];
    const rules = [{ apiGroups: [''], resources: ['pods', 'nodes'], verbs: reading }];
    const { ui, page } = await shown(kubeconfigFile(await userWith(cluster, 'pods-only', rules)));
    const model = await page.until('it is read', ({ head, nodes }) => head.data.kind === 'live' && nodes.length > 0);
    expect(model.head.gaps.filter(({ hidesEverything }) => hidesEverything).map(({ what }) => what)).toEqual(
      expect.arrayContaining(['poddisruptionbudgets', 'podunavailablebudgets', 'disruptionledgers']),
    );
    expect(new Set(model.nodes.map(({ state }) => state))).toEqual(new Set(['unknown']));
    const { value } = await getJson<NodeDetail>(ui, `/api/nodes/${node}`);
    expect(value.headline).toMatch(/^unknown: you may not list .*poddisruptionbudgets\.policy/);
    expect(value.yes).toBe(false);
  });

  it('shows one namespace to a user who may read no other', async () => {
    const scene = await shards();
    const { page } = await shown(admin, { namespace: scene.namespace });
    const model = await page.untilLive();
    expect(new Set(model.budgets.map(({ namespace }) => namespace))).toEqual(new Set([scene.namespace]));
    expect(model.head.counts.pods).toBe(4);
    expect(model.head.cluster.namespaces).toEqual([scene.namespace]);
  });

  it('answers what if as holdfast plan and holdfast simulate do', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('Deployment', 'web', 4), pdb('web', { minAvailable: 3 }));
    await scene.waitReady(4);
    const { ui, page } = await shown(admin, { namespace: scene.namespace });
    await page.untilLive();
    const [first] = await scene.pods();
    const target = String(first?.spec['nodeName']);
    const answer = async (request: object): Promise<WhatIfJob> => {
      const { code, value } = await postJson<WhatIfJob>(ui, '/api/what-if', request);
      expect(code).toBe(202);
      const read = async () => (await getJson<WhatIfJob>(ui, `/api/what-if/${value.id}`)).value;
      return waitUntil('it is answered', read, ({ state }) => state !== 'running', { withinMs: 100_000 });
    };
    const job = await answer({ what: { kind: 'drain', nodes: [target] } });
    expect(job.problem).toBeUndefined();
    const holdfast = holdfastFor(cluster.kubeconfig);
    const snapshot = ['simulate', '--from-cluster', '-n', scene.namespace, '-o', 'json'];
    const simulated = JSON.parse((await holdfast(...snapshot, '--', 'drain', target)).out) as {
      durationMs: number;
      nodes: object[];
      budgets: { atLimit: object[] }[];
    };
    expect(job.result?.asItIs).toMatchObject({
      finished: true,
      nodes: simulated.nodes,
      durationMs: simulated.durationMs,
    });
    const limits = job.result?.asItIs.lanes
      .filter(({ kind }) => kind === 'budgetAtLimit')
      .flatMap(({ spans }) => spans);
    expect(limits).toEqual(simulated.budgets.flatMap(({ atLimit }) => atLimit));
    expect(job.result?.plan.waves.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([[target]]);

    const manifest = (await getJson<BudgetDetail>(ui, `/api/budgets/pdb/${scene.namespace}/web`)).value.manifest;
    const changes = manifest.replace('minAvailable: 3', 'minAvailable: 4');
    const stuck = await answer({ what: { kind: 'drain', nodes: [target] }, changes });
    expect(stuck.result?.changed).toMatchObject({ finished: false });
    expect(stuck.result?.comparison?.changes).toEqual([`PodDisruptionBudget ${scene.namespace}/web changed`]);
    expect(stuck.result?.comparison?.rows.find(([name]) => name === 'finished')).toEqual(['finished', 'yes', 'no']);
    const headers = { authorization: `Bearer ${ui.server.token}` };
    const page1 = await fetch(`http://127.0.0.1:${ui.server.port}${stuck.result?.html}`, { headers });
    expect(page1.headers.get('content-security-policy')).toContain('sandbox');
    expect(await page1.text()).toMatch(/^<!doctype html>[\s\S]*As it is[\s\S]*Changed/);

    const unknown = await answer({ what: { kind: 'drain', nodes: ['<b>none'] } });
    expect(unknown).toMatchObject({ state: 'failed', problem: { message: expect.stringContaining('<b>none') } });
    expect((await postJson(ui, '/api/what-if', { what: { kind: 'burn' } })).code).toBe(400);
    expect((await getJson(ui, '/api/what-if/none')).code).toBe(404);
  });
});

/** How long ago something was differs between two looks. */
function withoutAges(text: string): string {
  return text.replaceAll(/\b(\d+h)?(\d+m)?\d+s\b/g, 'AGE');
}

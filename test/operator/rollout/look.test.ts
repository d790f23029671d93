import { describe, expect, it } from 'vitest';
import type { Reconciled } from '../../../src/kube/queue/workqueue.ts';
import { type LookParts, lookAtRollout } from '../../../src/operator/rollout/rollout-look.ts';
import { type ModelPod, modelCluster } from '../../core/rollout/model-cluster.ts';
import { leader, ModelApi } from './model-api.ts';

const asked = {
  'holdfast.dev/update-strategy': 'EnforcedRollingUpdate',
  'holdfast.dev/rollout-settle-seconds': '0',
};

const never = Number.POSITIVE_INFINITY;

function aPod(ordinal: number, revision: string, ready: boolean): ModelPod {
  const readyAt = ready ? -100 : never;
  return { uid: `first-${ordinal}`, ordinal, revision, created: -100, readyAt, failed: false };
}

interface Bench {
  readonly api: ModelApi;
  readonly operator: LookParts;
  readonly told: string[];
  look(): Promise<Reconciled>;
  /** Names of pods that are going. */
  going(): readonly string[];
}

/** Three replicas of which the lowest is broken on an old revision, and one pod too many. */
function bench(pods = [aPod(0, 'v1', false), aPod(1, 'v1', true), aPod(2, 'v1', true)]): Bench {
  const cluster = modelCluster({ annotations: asked, current: 'v1', update: 'v2' }, ['v2']);
  cluster.pods = pods;
  const api = new ModelApi(cluster);
  const told: string[] = [];
  const operator = leader(api, told);
  return {
    api,
    operator,
    told,
    look: () => lookAtRollout(operator, 'shop/web', api.watched),
    going: () => cluster.pods.filter(({ goneAt }) => goneAt !== undefined).map(({ ordinal }) => `web-${ordinal}`),
  };
}

const tooMany = () => bench([aPod(0, 'v1', false), aPod(1, 'v1', true), aPod(2, 'v1', true), aPod(3, 'v1', true)]);

describe('a look at a stuck rollout', () => {
  it('[R1] removes the pod, shows it, and tells the set and the pod', async () => {
    const { api, told, look, going } = bench();
    await look();
    expect(going()).toEqual(['web-0']);
    expect(api.shown).toBe('replaced web-0: broken on revision v1, comes back on v2');
    const message = /removed pod web-0, which was not ready on the old revision v1 and held up .* comes back on v2$/;
    expect(told).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
    expect(told.map((one) => one.split(':')[0])).toEqual(['StatefulSet RolloutPodReplaced', 'Pod RolloutPodReplaced']);
  });

  it('[R1] lets one pod go at a time, also when two could', async () => {
    const { api, look, going } = tooMany();
    await look();
    expect(going()).toEqual(['web-0']);
    api.cluster.now += 1;
    const soon = await look();
    expect(going()).toEqual(['web-0']);
    expect(soon).toEqual({ kind: 'again', afterMs: 1_000 });
  });

  it('[R3] goes on with the other one when the first overstays its grace period', async () => {
    const { api, look, going } = tooMany();
    await look();
    api.cluster.now += 2;
    await look();
    expect(going()).toEqual(['web-0', 'web-3']);
  });

  it('waits a moment between two removals of one set', async () => {
    const { api, operator, look, going } = bench();
    operator.memory.removed('shop/web');
    expect(await look()).toEqual({ kind: 'again', afterMs: 1_000 });
    expect(going()).toEqual([]);
    api.cluster.now += 1;
    await look();
    expect(going()).toEqual(['web-0']);
  });

  it('writes nothing that is shown already', async () => {
    const { api, look } = bench([aPod(0, 'v2', true), aPod(1, 'v2', true), aPod(2, 'v2', true)]);
    expect(await look()).toEqual({ kind: 'done' });
    expect([api.shown, api.writes]).toEqual(['idle: every replica is healthy and on the update revision', 1]);
    await look();
    expect(api.writes).toBe(1);
  });

  it('judges anew when the pod changed before it went', async () => {
    const { api, told, look, going } = bench();
    let calls = 0;
    api.between = () => {
      calls += 1;
      const [first, ...rest] = api.cluster.pods;
      // The third call is the removal.
      if (calls === 3 && first !== undefined) api.cluster.pods = [{ ...first, readyAt: 0 }, ...rest];
    };
    expect(await look()).toEqual({ kind: 'failed' });
    expect([going(), told]).toEqual([[], []]);
  });

  it('judges anew when the set changed before it could be shown', async () => {
    const { api, look } = bench([aPod(0, 'v2', true), aPod(1, 'v2', true), aPod(2, 'v2', true)]);
    api.between = () => {
      api.cluster.set.generation += 1;
    };
    expect(await look()).toEqual({ kind: 'failed' });
    expect(api.shown).toBeUndefined();
  });

  it('[R4] takes away what it showed when the set no longer asks', async () => {
    const { api, look, going } = bench();
    api.shown = 'blocked by web-0';
    api.cluster.set.annotations = {};
    await look();
    expect([api.shown, going()]).toEqual([undefined, []]);
  });

  it('leaves a set of the same name that is another one', async () => {
    const { api, operator, going } = bench();
    const { metadata, ...rest } = api.watched;
    const other = { ...rest, metadata: { ...metadata, uid: 'another' } };
    expect(await lookAtRollout(operator, 'shop/web', other)).toEqual({ kind: 'done' });
    expect(going()).toEqual([]);
  });

  it('does not act on a selector that it cannot read', async () => {
    const { api, operator, going } = bench();
    const selector = { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] };
    expect(await lookAtRollout(operator, 'shop/web', { ...api.watched, selector })).toEqual({ kind: 'failed' });
    expect(going()).toEqual([]);
  });

  it('does nothing more once another one leads', async () => {
    const { api, operator, going } = bench();
    const over = { ...operator, signal: AbortSignal.abort() };
    expect(await lookAtRollout(over, 'shop/web', api.watched)).toEqual({ kind: 'done' });
    expect(going()).toEqual([]);
  });
});

describe('[R2] a removal that is refused', () => {
  it('is shown and told, is not asked for again at once, and happens when the budget agrees', async () => {
    const { api, told, look, going } = bench();
    let asks = 0;
    let message: string | undefined = 'budget two needs 2 and has 1';
    api.refusal = () => {
      asks += 1;
      return message;
    };
    expect(await look()).toEqual({ kind: 'again', afterMs: 5_000 });
    const shown = 'blocked by web-0: its replacement is refused: budget two needs 2 and has 1';
    expect(api.shown).toBe(shown);
    expect(told).toEqual([`StatefulSet RolloutBlocked: ${shown}`]);
    api.cluster.now += 4;
    expect(await look()).toEqual({ kind: 'again', afterMs: 1_000 });
    api.cluster.now += 1;
    await look();
    expect([asks, api.writes, going()]).toEqual([2, 1, []]);
    message = undefined;
    api.cluster.now += 5;
    await look();
    expect([asks, going()]).toEqual([3, ['web-0']]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Reconciled } from '../../../src/kube/queue/workqueue.ts';
import { type LookParts, lookAtRollout } from '../../../src/operator/rollout/rollout-look.ts';
import { applyTemplate, changeSpec, isReady, type ModelPod, modelCluster } from '../../core/rollout/model-cluster.ts';
import { controllerPass } from '../../core/rollout/model-controller.ts';
import { type Fate, leader, ModelApi } from './model-api.ts';

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

/** Three replicas, of which the lowest is broken on an old revision. */
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
    expect(api.shown).toBe('deleted web-0: it was not ready on revision v1, and its replacement has revision v2');
    const message = /deleted pod web-0, which was not ready on the old revision v1 and blocked .* has revision v2$/;
    expect(told).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
    expect(told.map((one) => one.split(':')[0])).toEqual(['StatefulSet RolloutPodReplaced', 'Pod RolloutPodReplaced']);
  });

  it('[R1] lets one pod go at a time, also when two could', async () => {
    const { api, look, going } = tooMany();
    await look();
    expect(going()).toEqual(['web-0']);
    // However long the first one takes to go.
    api.cluster.now += 3_600;
    expect(await look()).toEqual({ kind: 'done' });
    expect(going()).toEqual(['web-0']);
    expect(api.shown).toMatch(/^waiting for web-0: it is terminating; scale-down: /);
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

  it('judges again when the pod changed before it was removed', async () => {
    const { api, told, look, going } = bench();
    api.before = (call) => {
      const [first, ...rest] = api.cluster.pods;
      if (call === 'delete' && first !== undefined) api.cluster.pods = [{ ...first, readyAt: 0 }, ...rest];
    };
    expect(await look()).toEqual({ kind: 'failed' });
    expect([going(), told]).toEqual([[], []]);
  });

  it('judges again when the set changed before it could be shown', async () => {
    const { api, look } = bench([aPod(0, 'v2', true), aPod(1, 'v2', true), aPod(2, 'v2', true)]);
    api.before = () => changeSpec(api.cluster, { replicas: 2 });
    expect(await look()).toEqual({ kind: 'failed' });
    expect(api.shown).toBeUndefined();
  });

  it('[R1] plans again when the template changed after the pods were listed', async () => {
    const { api, look, going } = bench();
    // Back to what the broken pod runs: now that is what nothing helps.
    api.before = (call) => {
      if (call !== 'get') return;
      applyTemplate(api.cluster, 'v1', false);
      controllerPass(api.cluster);
    };
    await look();
    expect([going(), api.shown]).toEqual([[], expect.stringMatching(/^blocked by web-0: not ready on the update/)]);
  });

  it('[R1] waits while Kubernetes has not seen the template of now', async () => {
    const { api, look, going } = bench();
    applyTemplate(api.cluster, 'v1', false);
    await look();
    expect([going(), api.shown]).toEqual([[], 'waiting for Kubernetes to observe generation 2 (has seen 1)']);
  });

  it('shows what it did also when the set has changed since it was read', async () => {
    const { api, look } = bench();
    api.after = (call) => {
      if (call === 'delete') changeSpec(api.cluster, { replicas: 2 });
    };
    await look();
    expect(api.shown).toBe('deleted web-0: it was not ready on revision v1, and its replacement has revision v2');
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
    const shown = 'blocked by web-0: its deletion is refused: budget two needs 2 and has 1';
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

  it('[R3] does not keep another pod from going, and is tried again', async () => {
    const { api, look, going } = tooMany();
    let asks = 0;
    api.refusal = ({ ordinal }) => {
      if (ordinal !== 0) return undefined;
      asks += 1;
      return 'not this one';
    };
    const soon = await look();
    // What is said is what was done, not what may come.
    expect([going(), api.shown]).toEqual([[], undefined]);
    expect(soon).toEqual({ kind: 'again', afterMs: 200 });
    await look();
    expect(going()).toEqual(['web-3']);
    expect(api.shown).toBe(
      'blocked by web-0: its deletion is refused: not this one; scale-down: deleted web-3 without waiting for web-0',
    );
    api.cluster.pods = api.cluster.pods.filter(({ ordinal }) => ordinal !== 3);
    api.cluster.now += 5;
    await look();
    expect(asks).toBe(2);
  });

  it('is remembered of each pod', async () => {
    const { api, look, going } = tooMany();
    const asked: number[] = [];
    api.refusal = ({ ordinal }) => {
      asked.push(ordinal);
      return 'no';
    };
    await look();
    const told = await look();
    expect([asked, going()]).toEqual([[0, 3], []]);
    expect(told).toEqual({ kind: 'again', afterMs: 5_000 });
    expect(api.shown).toBe(
      'blocked by web-0: its deletion is refused: no; scale-down: the deletion of web-3 is refused: no',
    );
  });
});

describe('[R2] a pod whose claim would go with it', () => {
  const withClaims = (api: ModelApi) => (api.cluster.set.claims = ['data']);

  it('stays, is said so, and goes when the claim is its own no longer', async () => {
    const { api, look, going } = bench();
    withClaims(api);
    api.ownersOfClaims.add('first-0');
    expect(await look()).toEqual({ kind: 'again', afterMs: 5_000 });
    expect(going()).toEqual([]);
    expect(api.shown).toBe(
      'blocked by web-0: its deletion is refused: its claim data-web-0 is owned by it and would be deleted with it; remove that owner reference from the claim',
    );
    api.ownersOfClaims.clear();
    api.cluster.now += 5;
    await look();
    expect(going()).toEqual(['web-0']);
  });

  it('goes when the set no longer wants it: then that is what its owner asked for', async () => {
    const { api, look, going } = bench([aPod(0, 'v2', false), aPod(3, 'v1', true)]);
    withClaims(api);
    api.ownersOfClaims.add('first-3');
    await look();
    expect(going()).toEqual(['web-3']);
  });

  it('stays where we may not read claims, and is said so', async () => {
    const { api, look, going } = bench();
    withClaims(api);
    api.mayReadClaims = false;
    await look();
    expect(going()).toEqual([]);
    expect(api.shown).toMatch(/^blocked by web-0: .* its claim data-web-0 cannot be read: may not get claims$/);
  });

  it('stays while it is unknown', async () => {
    const { api, look, going } = bench();
    withClaims(api);
    api.fate = (call) => (call === 'claim' ? 'lost before' : 'answered');
    expect(await look()).toEqual({ kind: 'failed' });
    expect(going()).toEqual([]);
  });
});

describe('a removal whose answer is lost', () => {
  const loses = (api: ModelApi, fate: Fate) => {
    api.fate = (call) => (call === 'delete' ? fate : 'answered');
  };

  it('is told of when it is seen to have happened', async () => {
    const { api, told, look, going } = bench();
    loses(api, 'lost after');
    expect(await look()).toEqual({ kind: 'failed' });
    expect([going(), told]).toEqual([['web-0'], []]);
    await look();
    expect(told.map((one) => one.split(':')[0])).toEqual(['StatefulSet RolloutPodReplaced', 'Pod RolloutPodReplaced']);
    await look();
    expect(told).toHaveLength(2);
  });

  it('is not told of when it did not happen, and is tried again a moment later', async () => {
    const { api, told, look, going } = bench();
    loses(api, 'lost before');
    expect(await look()).toEqual({ kind: 'failed' });
    loses(api, 'answered');
    expect(await look()).toEqual({ kind: 'again', afterMs: 1_000 });
    expect([going(), told]).toEqual([[], []]);
    api.cluster.now += 1;
    await look();
    expect([going(), told.length]).toEqual([['web-0'], 2]);
  });
});

describe('a crash loop that is ready for moments', () => {
  const looping = (ordinal: number, revision: string): ModelPod => ({ ...aPod(ordinal, revision, false), loops: true });

  it('[R1] is replaced although it recovers again and again, in a moment when it is not ready', async () => {
    const { api, look, going } = bench([looping(0, 'v1'), aPod(1, 'v2', true), aPod(2, 'v2', true)]);
    api.cluster.set.annotations = { ...asked, 'holdfast.dev/rollout-settle-seconds': '20' };
    for (let second = 0; second < 60 && going().length === 0; second += 1) {
      api.cluster.now = second;
      await look();
    }
    expect(going()).toEqual(['web-0']);
    expect(api.cluster.now).toBeGreaterThanOrEqual(20);
    const [first] = api.cluster.pods;
    expect(first && isReady(api.cluster, first)).toBe(false);
  });

  it('[R2] on the update revision keeps everything else where it is, ready or not', async () => {
    const { api, look, going } = bench([aPod(0, 'v1', false), aPod(1, 'v1', true), looping(2, 'v2')]);
    for (api.cluster.now = 0; api.cluster.now < 60; api.cluster.now += 1) await look();
    expect(going()).toEqual([]);
  });
});

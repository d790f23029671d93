import { describe, expect, it } from 'vitest';
import { untilIdle, VirtualClock } from '../../../../embedded-cluster/src/time/virtual-clock.ts';
import { loadObjects } from '../../../src/cli/load-objects.ts';
import { Drainer } from '../../../src/cli/simulate/drainer.ts';
import { drive } from '../../../src/cli/simulate/drive.ts';
import { Observer } from '../../../src/cli/simulate/records/observer.ts';
import { completeSnapshot } from '../../../src/cli/simulate/snapshot/complete.ts';
import { openStage } from '../../../src/cli/simulate/stage.ts';

describe('the observer', () => {
  it('[I1] notices a budget that evictions break, where nothing protects it', async () => {
    const snapshot = completeSnapshot(loadObjects('examples/llm-serving.yaml'), 20_000);
    const clock = new VirtualClock(snapshot.takenAt, untilIdle);
    const work = <T>(promise: Promise<T>) => drive(clock, promise, { atRest: () => observer?.atRest() });
    let observer: Observer | undefined;
    const pace = { heartbeats: false, lifecycleEvents: false, startDelayMs: 20_000 };
    const terms = {
      clock,
      seed: 1,
      snapshot: snapshot.objects,
      vetoes: snapshot.vetoes,
      pace,
      report: () => undefined,
    };
    const opened = await work(openStage(terms));
    if (opened.kind !== 'done') throw new Error('the stage did not open');
    const { plane, session, random } = opened.value;
    await clock.advance(10_000);
    observer = new Observer(plane, () => clock.now());
    observer.begin();
    // Only the built-in check is asked, which counts pods.
    const drainer = new Drainer({ session, random, observer, order: 'all' });
    await work(drainer.drain(['node-b']));
    const [violation] = observer.violations;
    expect(observer.violations).toHaveLength(1);
    expect(violation).toMatchObject({ budget: { name: 'llm' }, available: 0, desired: 1 });
    expect(observer.budgets()).toMatchObject([{ lowest: 0 }]);
    observer.close();
    await work(opened.value.close());
  });
});

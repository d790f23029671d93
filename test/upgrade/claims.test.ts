import { describe, expect, it } from 'vitest';
import type { DisruptionLedger } from '../../packages/holdfast/src/api/ledger.ts';
import { decideBatch } from '../../packages/holdfast/src/core/ledger/batch.ts';
import { withdraw } from '../../packages/holdfast/src/core/ledger/prune.ts';
import { collections } from '../../packages/holdfast/src/core/sync.ts';
import { World } from '../../packages/holdfast/src/core/world/world.ts';
import { inShort } from '../support/a-world.ts';
import { aLedger, ns } from '../support/builders.ts';
import { podsOf, pubFor } from '../support/fleet.ts';
import { type EarlierEngine, earlierEngine, earlierVersion } from './earlier.ts';

const earlier = earlierVersion();
const pods = podsOf('web', 3);
const budget = pubFor('web', { maxUnavailable: 1 });

/** A replica: its engine, and the ledger that it saw last. */
class Replica {
  readonly #engine: EarlierEngine;
  readonly #world: World;

  constructor(engine: EarlierEngine) {
    this.#engine = engine;
    this.#world = new engine.World();
    for (const collection of collections) this.#world.setSynced(collection, '100');
    this.#world.setNamespace({ metadata: { name: ns } });
    for (const pod of pods) this.#world.upsertPod(pod.build());
    this.#world.upsertPub(budget);
  }

  /** Answers a request by this ledger. The ledger that it leaves is the one that it was given, unless it writes. */
  evict(pod: string, claim: string, ledger: DisruptionLedger) {
    this.#world.setLedger(ns, ledger);
    const request = { operation: 'EVICT', namespace: ns, pod, claim } as const;
    const outcome = this.#engine.decideBatch(this.#world, ns, [request], 0);
    const [verdict] = outcome.verdicts;
    if (verdict === undefined) throw new Error('a batch of one has one verdict');
    return { verdict: inShort(verdict), ledger: outcome.ledger ?? ledger };
  }
}

describe.skipIf(earlier.kind === 'missing')('while replicas of the version before are there', async () => {
  const engine = earlier.kind === 'found' ? await earlierEngine(earlier.folder) : { World, decideBatch };
  const [former, current] = [new Replica(engine), new Replica({ World, decideBatch })];

  it('[I1] [L7] no reservation is taken back that one of them has let a pod go by', () => {
    const reserved = current.evict('web-0', 'new/1', aLedger());
    expect(reserved.verdict).toBe('allow WithinBudget');
    // Another client asks for the same pod, of the replica that leaves claims as they are. It lets the pod go.
    const again = former.evict('web-0', 'old/1', reserved.ledger);
    expect(again.verdict).toMatch(/^allow/);
    // The first request comes to nothing: a plain budget refuses it, or its time is over.
    const after = withdraw(again.ledger, new Set(['new/1'])) ?? again.ledger;
    // The pod is going by the second request, and no other may.
    for (const replica of [former, current]) {
      expect(replica.evict('web-1', 'any/2', after).verdict).toBe('deny BudgetExhausted');
    }
  });

  it('[I1] [I14] what one of them reserved is counted, and the same request is judged again', () => {
    const reserved = former.evict('web-0', 'old/1', aLedger());
    expect(current.evict('web-1', 'new/1', reserved.ledger).verdict).toBe('deny BudgetExhausted');
    expect(current.evict('web-0', 'new/2', reserved.ledger).verdict).toMatch(/^allow/);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger } from '../../../../../test/support/builders.ts';
import { lwsPods } from '../../../../../test/support/fleet.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { succeeded } from '../../../src/kube/outcome/failure.ts';
import { takeOver } from '../../../src/operator/admission/complete.ts';
import { PodHandler } from '../../../src/operator/admission/pod-handler.ts';
import { aBench, type Bench } from '../ledger/support/bench.ts';
import type { Fault } from '../ledger/support/fake-ledgers.ts';
import { evictionWish, reviewText } from './reviews.ts';
import { agentFor, send, startServer, until } from './support.ts';

let close: (() => Promise<unknown>) | undefined;
afterEach(async () => {
  await close?.();
});

/** One eviction over the wire, in virtual time, while the first calls of the ledger hang for three seconds each. */
async function evict(timeout: string, hanging: number) {
  const world = aWorld({ pods: lwsPods('llm', 2, 1), pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] });
  const deleted: number[] = [];
  const bench: Bench = aBench({
    world,
    stored: aLedger(),
    takeOver: (takeover, deadline) => takeOver(client, takeover, deadline),
  });
  const client: Pick<KubeClient, 'delete'> = {
    delete: async () => {
      deleted.push(bench.clock.monotonic());
      return succeeded({});
    },
  };
  bench.store.faults.push(...Array.from({ length: hanging }, (): Fault => 'hangs'));
  const handler = new PodHandler({
    world,
    admission: bench.admission,
    counters: { recount: async () => undefined },
    clock: bench.clock,
    options: () => ({}),
    self: { username: 'operator' },
    observer: { decided: () => undefined, completed: () => undefined },
    guards: { modeOf: () => 'enforce', confirm: async () => 'enforce' },
    callMs: 3_000,
  });
  const { server, keyPair } = await startServer({ handler, clock: bench.clock });
  const agent = agentFor(keyPair);
  close = async () => {
    agent.destroy();
    await Promise.all([server.close(0), bench.clock.advance(1)]);
  };
  const began = bench.clock.monotonic();
  let said: { allowed: boolean; at: number } | undefined;
  const body = reviewText(evictionWish({ preconditions: { uid: 'uid-llm-0-0' } }, { name: 'llm-0-0' }));
  void send({ agent, port: server.port, path: `/judge?timeout=${timeout}`, body }).then(({ text }) => {
    said = { allowed: JSON.parse(text).response.allowed, at: bench.clock.monotonic() - began };
  });
  await until(() => bench.store.calls.length > 0);
  for (let passed = 0; passed < 40_000 && said === undefined; passed += 100) {
    await bench.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const answered = said;
  await bench.clock.advance(40_000);
  return { said: answered, deletedAt: deleted.map((at) => at - began), writes: bench.store.calls.length };
}

describe('[I8] the one deadline of a call', () => {
  it('at 5 seconds: nothing is deleted after the client was told "not now"', async () => {
    const { said, deletedAt } = await evict('5s', 2);
    expect(said?.allowed).toBe(false);
    expect(said?.at).toBeLessThan(5_000);
    expect(deletedAt).toEqual([]);
  });

  it('at 30 seconds: what comes right after 9 seconds is allowed', async () => {
    const { said, deletedAt } = await evict('30s', 3);
    expect(said?.allowed).toBe(true);
    expect(deletedAt).toHaveLength(1);
  });
});

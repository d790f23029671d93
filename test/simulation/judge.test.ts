import { expect, test } from 'vitest';
import { adminUser } from '../../packages/embedded-cluster/src/auth/kubeconfig.ts';
import { drive } from '../../packages/holdfast/src/cli/simulate/drive.ts';
import { podsOf } from './happenings.ts';
import type { Disruption } from './history.ts';
import { judgeDisruption } from './judge.ts';
import { aPub, aStatefulSet } from './objects.ts';
import type { App } from './scenario.ts';
import { openStack, type Stack } from './stack.ts';

const db: App = { name: 'db', kind: 'StatefulSet', replicas: 3, pods: 3, object: aStatefulSet('db', 'db', 3, {}) };

/** What would be if a client deleted a pod now. */
function deletionNow({ history, clock }: Stack, pod: Disruption['pod']): Disruption {
  const at = clock.now();
  const asked = { askedAt: at, lastAskedAt: at, reservedAt: undefined, firmSince: new Map<string, number>() };
  return { seq: history.seq + 1, at, pod, cause: 'DELETE', user: 'a client', ...asked };
}

test('what every view has seen excuses no disruption, however soon it comes', async () => {
  const running = { apps: [db], others: [] };
  const stack = await openStack({
    seed: 1,
    replicas: 0,
    running,
    skews: [],
    http2: false,
    logLevel: 'error',
    report: () => undefined,
  });
  const admin = stack.cluster.plane.clientFor(adminUser, 'test');
  const budget = aPub('pub', { app: 'db' }, { maxUnavailable: 0 });
  await drive(stack.clock, admin.create('policy.kruise.io/podunavailablebudgets', budget));
  const [pod] = podsOf(stack);
  if (pod === undefined) throw new Error('there is no pod');
  expect(judgeDisruption(stack.history, deletionNow(stack, pod))).toBeUndefined();
  stack.history.seenByAll();
  expect(judgeDisruption(stack.history, deletionNow(stack, pod))?.clause).toBe('I1');
  await drive(stack.clock, stack.close());
});

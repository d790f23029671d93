import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProtectedCluster, protectedCluster } from '../support/protected-cluster.ts';

let cluster: ProtectedCluster;
beforeAll(async () => {
  cluster = await protectedCluster({ replicas: 3, logLevel: 'warn' });
}, 60_000);
afterAll(() => cluster?.close());

test('is ready', () => {
  expect(cluster.operators.map((one) => one.missing())).toEqual([[], [], []]);
});

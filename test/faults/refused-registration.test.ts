import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProtectedCluster, protectedCluster } from '../support/protected-cluster.ts';
import { OperatorProcess } from './support/operator-process.ts';

let cluster: ProtectedCluster;
let operator: OperatorProcess | undefined;

beforeAll(async () => {
  cluster = await protectedCluster({ replicas: 0 });
});

afterAll(async () => {
  await operator?.kill('SIGKILL');
  await cluster?.close();
});

it('an operator that may not register its webhooks says so and ends', async () => {
  const url = `https://127.0.0.1:${cluster.balancer.port}`;
  // The rights of an installation, in which an administrator has registered them.
  const wish = { access: cluster.operatorAccess, namespace: cluster.operatorNamespace, url };
  operator = await OperatorProcess.start(wish);
  await expect(operator.ready()).rejects.toThrow(/the operator ended[\s\S]*needs the right to create and patch/);
});

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startCluster } from '../../src/cluster.ts';

it('a server that closes lets go of connections whose handshake is not over', async () => {
  const cluster = await startCluster({ controllers: false, report: () => undefined });
  const socket = connect(cluster.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const gone = new Promise((resolve) => socket.once('close', () => resolve('gone')));
  // Long enough for the server to accept it.
  await new Promise((resolve) => setTimeout(resolve, 100));
  await cluster.close();
  expect(await gone).toBe('gone');
});

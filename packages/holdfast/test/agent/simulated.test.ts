import { describe, expect, it } from 'vitest';
import { testCluster } from '../../../../test/support/cluster.ts';
import { AgentBed } from './support/bed.ts';

describe('pods of simulated nodes', () => {
  it('answer the real agent over real sockets, as a person steers them', async () => {
    const bed = await AgentBed.start(await testCluster({ controllers: true, nodes: 2, speed: 20 }));
    const probe = { periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 1 };
    try {
      const wishes = {
        'db-0': { httpGet: { path: '/disruptable', port: 8008 }, ...probe },
        'db-1': { httpGet: { path: '/disruptable', port: 8008, scheme: 'HTTPS' }, ...probe },
        'db-2': { grpc: { port: 8008 }, ...probe },
        'db-3': { tcpSocket: { port: 8008 }, ...probe },
        'db-4': { exec: { command: ['check'] }, ...probe },
      };
      const names = Object.keys(wishes);
      for (const [name, wish] of Object.entries(wishes))
        await bed.pod(name, { node: 'node-1', probe: wish, running: false });
      await bed.agent({ nodes: 'all', permits: { execNamespaces: 'all', hosts: [] } });
      for (const name of names) await bed.eventually(() => bed.isDisruptable(name, 'node-1'), `${name} is disruptable`);
      for (const name of names) {
        await bed.annotate(name, { 'sim.holdfast.dev/probe': 'fail', 'sim.holdfast.dev/exec-probe': 'fail' });
      }
      for (const name of names) {
        await bed.eventually(async () => (await bed.shown(name))?.reason === 'ProbeFailing', `${name} is not`);
      }
      expect(await bed.listed('node-1')).toEqual(new Set());
    } finally {
      await bed.close();
    }
  });
});

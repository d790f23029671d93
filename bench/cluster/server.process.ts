// The cluster that is measured. Its argument says whether it has controllers and nodes.
import { Session } from 'node:inspector/promises';
import { setTimeout } from 'node:timers/promises';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { adminUser } from '../../packages/embedded-cluster/src/auth/kubeconfig.ts';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { startCluster } from '../../packages/embedded-cluster/src/cluster.ts';
import { realClock } from '../../packages/embedded-cluster/src/time/clock.ts';
import { answerWith, cpuSpent } from './answering.ts';
import type { Access, Memory, ToServer } from './messages.ts';

const pki = createPki({ clock: realClock });
const cluster = await startCluster({
  pki,
  controllers: process.argv[2] === 'controllers',
  speed: Number(process.argv[3] ?? '1'),
  report: (message, error) => console.error(message, error),
});

answerWith<ToServer>((message) => {
  if (message.do === 'cpu') return cpuSpent();
  return message.do === 'memory' ? memory() : { count: readyPods() };
});

const client = pki.issueClient(adminUser.name, adminUser.groups);
process.send?.({
  access: {
    port: cluster.port,
    ca: pki.material.caCertificate,
    certificate: client.certificate,
    key: client.key,
  } satisfies Access,
  pki: { ca: pki.material.caCertificate, certificate: pki.material.serverCertificate, key: pki.material.serverKey },
});

/** The collector that a debugger calls gives back pages that are half empty, as an idle process does in time. */
async function memory(): Promise<Memory> {
  const rssBefore = process.memoryUsage().rss;
  const session = new Session();
  session.connect();
  for (let round = 0; round < 3; round += 1) {
    await session.post('HeapProfiler.collectGarbage');
    // Pages are given back beside the program's own work.
    await setTimeout(1_000);
  }
  session.disconnect();
  const { rss, heapUsed } = process.memoryUsage();
  return { rssBefore, rss, heapUsed };
}

function readyPods(): number {
  return cluster.plane.view.list('pods').filter((object) => {
    const { spec, status } = object as unknown as Pod;
    return spec?.nodeName && status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  }).length;
}

// A cluster in a process of its own, so that what clients do to its memory can be told apart from what they use themselves.
import { startCluster } from '../../../packages/embedded-cluster/src/cluster.ts';
import type { FromServer, ToServer } from '../cluster-process.ts';

const tell = (message: FromServer): void => void process.send?.(message);

const cluster = await startCluster({
  controllers: false,
  limits: { headersTimeoutMs: 1_000, requestTimeoutMs: 2_000, stalledMs: 3_000 },
  report: (message, error) =>
    tell({ is: 'problem', text: `${message}: ${error instanceof Error ? error.stack : String(error)}` }),
});

process.on('message', (message: ToServer) => {
  if (message.want === 'inspection') tell(inspection());
});
process.on('disconnect', () => process.exit(0));
tell({ is: 'ready', kubeconfig: cluster.kubeconfig() });

/** What is still in use when everything that can go has gone, and whether a request has reached what all objects share. */
function inspection(): FromServer {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const shared = Object.getOwnPropertyNames(Object.prototype).filter((name) => !builtin.has(name));
  return { is: 'inspection', usedBytes: heapUsed + external, connections, sharedProperties: shared };
}

const builtin = new Set([
  'constructor',
  '__defineGetter__',
  '__defineSetter__',
  'hasOwnProperty',
  '__lookupGetter__',
  '__lookupSetter__',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toString',
  'valueOf',
  '__proto__',
  'toLocaleString',
]);

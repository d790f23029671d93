import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemUser } from '../../../packages/embedded-cluster/src/auth/user.ts';
import { type Cluster, startCluster } from '../../../packages/embedded-cluster/src/cluster.ts';
import { openDataDirectory } from '../../../packages/embedded-cluster/src/data-directory.ts';
import { createNodes } from '../../../packages/embedded-cluster/src/nodes/create-nodes.ts';
import { made, type TestCluster } from '../../support/cluster.ts';
import { accessFrom, KubeHttp } from '../../support/kube-http.ts';
import { WatchReader } from '../../support/watch-reader.ts';

export interface RestartableCluster extends TestCluster {
  /** The server goes, with all its connections, and comes back at the same port with what it had written. */
  restart(whileDown: () => Promise<void>): Promise<void>;
}

export async function restartableCluster(nodes: number): Promise<RestartableCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-restart-'));
  let cluster = await begin(folder, 0);
  const { port } = cluster;
  const admin = cluster.plane.clientFor(systemUser, 'test');
  for (const node of createNodes(nodes, undefined, Date.now())) await admin.create('nodes', node);
  const kubeconfig = cluster.kubeconfig();
  const http = new KubeHttp(accessFrom(kubeconfig));
  let namespaces = 0;
  const newNamespace = async () => {
    const name = `restart-${namespaces++}`;
    await made(http.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } }));
    return name;
  };
  return {
    lacksControllers: false,
    embedded: true,
    kubeconfig,
    namespace: await newNamespace(),
    name: (base) => base,
    newNamespace,
    request: (method, path, options) => http.request(method, path, options),
    open: (method, path, options) => http.open(method, path, options),
    watch: async (path) => new WatchReader(await http.open('GET', path)),
    cleanUp: () => undefined,
    async restart(whileDown) {
      await cluster.close();
      await whileDown();
      cluster = await begin(folder, port);
    },
    async close() {
      http.close();
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function begin(folder: string, port: number): Promise<Cluster> {
  const opened = await openDataDirectory(folder, () => undefined);
  if (!opened.ok) throw new Error(opened.message);
  const { store, pki } = opened;
  // What controllers could not do while the server went is not of interest: they do it after it came back.
  return startCluster({ port, store, pki, speed: 20, report: () => undefined });
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Api } from '../api.ts';
import type { Site } from '../components.ts';
import { untilNodesReady } from '../furnish.ts';
import type { Keeper } from '../keeper.ts';
import type { BedAccess } from './bed-access.ts';
import { makeCgroups, readCgroupMounts } from './cgroups.ts';
import { writeTestImages } from './images.ts';
import { controlPlaneAddress, onNode, type RealNode } from './layout.ts';
import { type NodeFiles, nodeFiles, proxyConfiguration } from './node-files.ts';
import { containerdOn, kubeletOn, kubeProxyOfControlPlane, kubeProxyOn } from './node-programs.ts';
import { setupCommands } from './setup-commands.ts';

export interface NodesWish {
  readonly site: Site;
  readonly bed: BedAccess;
  readonly keeper: Keeper;
}

/** Before any program is started: networks, mounts and control groups. */
export async function prepareNodes({ bed }: Pick<NodesWish, 'bed'>): Promise<void> {
  const { folder, cgroup } = bed.state;
  makeCgroups(
    readCgroupMounts(),
    cgroup,
    bed.nodes.map(({ name }) => name),
  );
  for (const command of setupCommands(folder, bed.nodes)) await bed.must(command);
}

/** Resolves when every node is ready, and has the images that are made here. */
export async function startNodes(wish: NodesWish, api: Api, deadlineMs: number): Promise<void> {
  const { site, bed, keeper } = wish;
  const server = `https://${controlPlaneAddress}:${site.ports.api}`;
  const proxyKubeconfig = site.credentials.nodeKubeconfig('system:kube-proxy', [], server);
  for (const node of bed.nodes) {
    writeAll(filesOf(wish, node, server));
    writeAll({ [join(node.folder, 'kube-proxy.kubeconfig')]: proxyKubeconfig });
    keeper.start(containerdOn(site, node));
  }
  // It knows no node by its own name, and needs one: for addresses of nodes, which are not asked for here.
  const config = join(site.folder, 'kube-proxy.json');
  const [first] = bed.nodes;
  if (first === undefined) throw new Error('a test bed needs a node');
  const kubeconfig = join(first.folder, 'kube-proxy.kubeconfig');
  writeAll({ [config]: JSON.stringify(proxyConfiguration(first.name, kubeconfig)) });
  await importImages(wish, api, deadlineMs);
  for (const node of bed.nodes) {
    keeper.start(kubeletOn(site, node));
    keeper.start(kubeProxyOn(site, node));
  }
  keeper.start(kubeProxyOfControlPlane(site, config));
  await untilNodesReady(api, bed.nodes.length, deadlineMs);
}

function filesOf({ site, bed }: NodesWish, node: RealNode, server: string): NodeFiles {
  const { credentials, programs } = site;
  const identity = credentials.nodeKubeconfig(`system:node:${node.name}`, ['system:nodes'], server);
  return {
    [join(node.folder, 'kubelet.kubeconfig')]: identity,
    ...nodeFiles({
      node,
      cgroup: bed.state.cgroup,
      clientCaFile: join(credentials.folder, 'ca.crt'),
      cniFolder: dirname(programs.cniBridge ?? ''),
      kubeconfig: join(node.folder, 'kube-proxy.kubeconfig'),
    }),
  };
}

function writeAll(files: NodeFiles): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  }
}

async function importImages({ site, bed }: NodesWish, api: Api, deadlineMs: number): Promise<void> {
  const archives = writeTestImages(join(site.folder, 'images'), site.programs.testapp ?? '');
  const importAll = async (node: RealNode) => {
    const answers = async () => (await bed.run(onNode(node, [bed.state.ctr, 'version']))).code === 0;
    await api.until(`the container runtime of ${node.name} answers`, deadlineMs, answers);
    for (const archive of archives) await bed.importImage(node.name, archive);
  };
  await Promise.all(bed.nodes.map(importAll));
}

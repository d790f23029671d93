import { dirname, join } from 'node:path';
import type { Site } from '../components.ts';
import type { Wish } from '../keeper.ts';
import type { ProgramKey } from '../programs.ts';
import { onNode, type RealNode } from './layout.ts';
import { pathsOf } from './node-files.ts';

/** As on any node, what ends by itself is started again. */
function wishOn(site: Site, node: RealNode, key: ProgramKey, args: readonly string[]): Wish {
  const program = site.programs[key];
  if (program === undefined) throw new Error(`${key} was not asked for`);
  const name = `${node.name}-${key}`;
  const [path = '', ...words] = onNode(node, [program, ...args]);
  return { name, path, args: words, log: join(site.folder, `${name}.log`), restarts: true };
}

/** Pulls go to a proxy that is not there, and fail at once: there is no registry. */
export function containerdOn(site: Site, node: RealNode): Wish {
  const shims = dirname(site.programs.shim ?? '');
  const closed = 'http://127.0.0.1:1';
  const env = { PATH: `${shims}:${process.env['PATH'] ?? ''}`, HTTP_PROXY: closed, HTTPS_PROXY: closed };
  return { ...wishOn(site, node, 'containerd', [`--config=${pathsOf(node).containerd}`]), env };
}

export function kubeletOn(site: Site, node: RealNode): Wish {
  return wishOn(site, node, 'kubelet', [
    `--config=${pathsOf(node).kubelet}`,
    `--root-dir=${join(node.folder, 'kubelet')}`,
    `--kubeconfig=${join(node.folder, 'kubelet.kubeconfig')}`,
    `--cert-dir=${join(node.folder, 'certificates')}`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.address}`,
    `--node-labels=topology.kubernetes.io/zone=${node.zone},topology.kubernetes.io/region=region-1`,
  ]);
}

export function kubeProxyOn(site: Site, node: RealNode): Wish {
  return wishOn(site, node, 'kubeProxy', [`--config=${pathsOf(node).kubeProxy}`]);
}

/** API servers call webhooks by service addresses, which lead somewhere only where such a proxy runs. */
export function kubeProxyOfControlPlane(site: Site, config: string): Wish {
  const path = site.programs.kubeProxy;
  if (path === undefined) throw new Error('kube-proxy was not asked for');
  const name = 'kube-proxy';
  return { name, path, args: [`--config=${config}`], log: join(site.folder, `${name}.log`), restarts: true };
}

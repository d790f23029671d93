import { join } from 'node:path';
import { nodeRange, podRange, type RealNode } from './layout.ts';

/** What the programs of a node are told by files: from the path to the text. */
export type NodeFiles = Readonly<Record<string, string>>;

interface NodeFilesWish {
  readonly node: RealNode;
  /** Of the test bed's control groups. */
  readonly cgroup: string;
  /** Who may ask the kubelet. */
  readonly clientCaFile: string;
  readonly cniFolder: string;
  readonly kubeconfig: string;
}

const containerdSocket = '/run/containerd/containerd.sock';
const pauseImage = 'holdfast.test/pause:1';

export function pathsOf({ folder }: Pick<RealNode, 'folder'>) {
  return {
    kubelet: join(folder, 'kubelet.json'),
    kubeProxy: join(folder, 'kube-proxy.json'),
    containerd: join(folder, 'containerd.toml'),
    network: join(folder, 'cni/pods.conflist'),
    nameServers: join(folder, 'resolv.conf'),
  };
}

export function nodeFiles(wish: NodeFilesWish): NodeFiles {
  const paths = pathsOf(wish.node);
  return {
    [paths.kubelet]: json(kubeletConfiguration(wish)),
    [paths.kubeProxy]: json(proxyConfiguration(wish.node.name, wish.kubeconfig)),
    [paths.containerd]: containerdConfiguration(wish),
    [paths.network]: json(podNetwork(wish.node)),
    // Pods would be given the name servers of the machine, which cannot be reached from here.
    [paths.nameServers]: '',
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function kubeletConfiguration({ node, cgroup, clientCaFile }: NodeFilesWish): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: clientCaFile } },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}/${node.name}`,
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    podLogsDir: join(node.folder, 'pods'),
    resolvConf: pathsOf(node).nameServers,
    // Disk and memory are those of the whole machine: what else is on it says nothing about a node.
    evictionHard: {
      'memory.available': '0%',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
      'imagefs.inodesFree': '0%',
    },
    imageGCHighThresholdPercent: 100,
    serializeImagePulls: false,
    oomScoreAdj: 0,
    maxPods: 60,
  };
}

/** With connection tracking left alone: its limits are those of the whole machine. */
export function proxyConfiguration(name: string, kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig },
    hostnameOverride: name,
    clusterCIDR: podRange,
    nodePortAddresses: [nodeRange],
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    oomScoreAdj: 0,
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

/** Without the right to lower the score by which the kernel chooses whom to end, runc fails if it is asked to. */
function containerdConfiguration({ node, cniFolder }: NodeFilesWish): string {
  return `version = 3
root = '${join(node.folder, 'containerd')}'
state = '/run/containerd'

[grpc]
address = '${containerdSocket}'

[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${pauseImage}'

[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['${cniFolder}']
conf_dir = '${join(node.folder, 'cni')}'
use_internal_loopback = true

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
BinaryName = 'runc'
SystemdCgroup = false
`;
}

function podNetwork({ folder, podRange }: RealNode): object {
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'pod-addresses'),
    ranges: [[{ subnet: podRange }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const plugin = { type: 'bridge', bridge: 'pods', isGateway: true, ipMasq: false, hairpinMode: true, ipam };
  return { cniVersion: '1.0.0', name: 'pods', plugins: [plugin] };
}

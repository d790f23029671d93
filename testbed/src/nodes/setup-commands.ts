import { join } from 'node:path';
import { serviceRange } from '../components.ts';
import { controlPlaneAddress, namespaceFolder, onNode, type RealNode } from './layout.ts';

/** Commands that are run in the namespaces of the test bed, in this order. */
type Commands = readonly (readonly string[])[];

export function setupCommands(folder: string, nodes: readonly RealNode[]): Commands {
  return [
    ['mkdir', '-p', namespaceFolder(folder)],
    // A namespace stays while a file stands for it, and such files can only be on a mount of one's own.
    ['mount', '-t', 'tmpfs', 'tmpfs', namespaceFolder(folder)],
    ...bridge,
    ...nodes.flatMap((node) => namespacesOf(node)),
    ...nodes.flatMap((node) => linkOf(node, nodes)),
    ...nodes.flatMap((node) => mountsOf(node)),
  ];
}

const forward = ['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'];

const bridge: Commands = [
  ['ip', 'link', 'add', 'name', 'nodes', 'type', 'bridge'],
  ['ip', 'address', 'add', `${controlPlaneAddress}/24`, 'dev', 'nodes'],
  ['ip', 'link', 'set', 'nodes', 'up'],
  // Where service addresses lead is changed on the way, but only for what has a way.
  ['ip', 'route', 'add', serviceRange, 'dev', 'nodes'],
  forward,
];

function namespacesOf({ network, mounts, folder }: RealNode): Commands {
  return [
    ['mkdir', '-p', folder],
    ['touch', network],
    ['unshare', `--net=${network}`, '--', 'true'],
    ['sh', '-c', holdMounts, 'sh', mounts],
  ];
}

/**
 * A process that does nothing but have mounts of its own. A file could stand for them as for the network, but mounting such a
 * file was refused now and then on Linux 6.18, with EINVAL (docs/adr/0065).
 */
const holdMounts = `
setsid unshare --mount --propagation private -- sh -c 'ln -s /proc/$$/ns/mnt "$1"; exec sleep infinity' sh "$1" < /dev/null > /dev/null 2>&1 &
until [ -L "$1" ]; do sleep 0.01; done`;

function linkOf(node: RealNode, nodes: readonly RealNode[]): Commands {
  const { name, address, network, podRange } = node;
  const others = nodes.filter((other) => other !== node);
  return [
    ['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', network],
    ['ip', 'link', 'set', name, 'master', 'nodes', 'up'],
    ['ip', 'route', 'add', podRange, 'via', address],
    ...[
      ['ip', 'link', 'set', 'lo', 'up'],
      ['ip', 'address', 'add', `${address}/24`, 'dev', 'eth0'],
      ['ip', 'link', 'set', 'eth0', 'up'],
      ['ip', 'route', 'add', 'default', 'via', controlPlaneAddress],
      ...others.map((other) => ['ip', 'route', 'add', other.podRange, 'via', other.address]),
      forward,
    ].map((command) => onNode(node, command)),
  ];
}

/** What kubelets set for the whole machine. They find it so already, in files, and leave the machine alone. */
const kernelSettings: Readonly<Record<string, number>> = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** Whatever a node's programs write to /run and /var stays in its own mounts. */
function mountsOf(node: RealNode): Commands {
  const at = (name: string) => join(node.folder, name);
  const settings = Object.entries(kernelSettings).map(([name, value]) => {
    const file = at(name.replaceAll('/', '.'));
    return ['sh', '-c', `echo ${value} > '${file}' && mount --bind '${file}' '/proc/sys/${name}'`];
  });
  const layers = `lowerdir=/var,upperdir=${at('var/upper')},workdir=${at('var/work')}`;
  return [
    ['mkdir', '-p', at('var'), at('kubelet'), at('containerd'), at('pods'), at('cni')],
    ['mount', '-t', 'tmpfs', 'tmpfs', at('var')],
    ['mkdir', at('var/upper'), at('var/work')],
    ['mount', '-t', 'overlay', 'overlay', '-o', layers, '/var'],
    ['mount', '-t', 'tmpfs', 'tmpfs', '/run'],
    // Volumes are mounted here for containers that are there already.
    ['mount', '--bind', at('kubelet'), at('kubelet')],
    ['mount', '--make-shared', at('kubelet')],
    ...settings,
  ].map((command) => onNode(node, command));
}

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cgroupMounts } from '../../testbed/src/nodes/cgroups.ts';
import { layOut } from '../../testbed/src/nodes/layout.ts';
import { type MachineFacts, missingForNodes } from '../../testbed/src/nodes/requirements.ts';
import { setupCommands } from '../../testbed/src/nodes/setup-commands.ts';

const controllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'];
const able: MachineFacts = {
  platform: 'linux',
  userId: 0,
  tools: new Set(['sh', 'find', 'mount', 'unshare', 'nsenter', 'ip', 'nft', 'runc']),
  cgroups: controllers.map((name) => ({ version: 1, path: `/sys/fs/cgroup/${name}`, controllers: [name] })),
  refused: [],
};
const without = (...names: readonly string[]) => new Set([...able.tools].filter((tool) => !names.includes(tool)));

describe('what a machine needs for real nodes', () => {
  it.each<{ when: string; facts: MachineFacts; want: readonly string[] }>([
    { when: 'it has everything', facts: able, want: [] },
    {
      when: 'it has the second version of control groups',
      facts: {
        ...able,
        cgroups: [{ version: 2, path: '/sys/fs/cgroup', controllers: ['cpu', 'cpuset', 'memory', 'pids'] }],
      },
      want: [],
    },
    {
      when: 'it is no Linux',
      facts: { ...able, platform: 'darwin' },
      want: ['real nodes need Linux, and this is darwin'],
    },
    {
      when: 'the user is not root',
      facts: { ...able, userId: 1000 },
      want: ['real nodes need root: they make namespaces, mounts and control groups'],
    },
    {
      when: 'programs are missing',
      facts: { ...able, tools: without('nft', 'unshare', 'nsenter') },
      want: ['unshare, nsenter, nft cannot be found on PATH: apt-get install util-linux nftables'],
    },
    {
      when: 'a control group is missing',
      facts: { ...able, cgroups: able.cgroups.filter(({ path }) => !path.endsWith('pids')) },
      want: ['/sys/fs/cgroup has no control groups for pids'],
    },
    {
      when: 'the kernel refuses something',
      facts: { ...able, refused: ['mounting overlayfs (CONFIG_OVERLAY_FS)'] },
      want: ['the kernel refuses: mounting overlayfs (CONFIG_OVERLAY_FS)'],
    },
  ])('is said when $when', ({ facts, want }) => {
    expect(missingForNodes(facts)).toEqual(want);
  });
});

describe('control groups', () => {
  it('are found in the first version, one place for each controller', () => {
    const mounts = [
      'tmpfs /sys/fs/cgroup tmpfs rw 0 0',
      'cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0',
      'cgroup /sys/fs/cgroup/systemd cgroup rw,name=systemd 0 0',
      'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0',
    ].join('\n');
    expect(cgroupMounts(mounts, '')).toEqual([
      { version: 1, path: '/sys/fs/cgroup/cpu,cpuacct', controllers: ['cpu', 'cpuacct'] },
      { version: 1, path: '/sys/fs/cgroup/systemd', controllers: [] },
    ]);
  });

  it('are found in the second version, in one place for all', () => {
    expect(cgroupMounts('cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n', 'cpuset cpu memory\n')).toEqual([
      { version: 2, path: '/sys/fs/cgroup', controllers: ['cpuset', 'cpu', 'memory'] },
    ]);
  });
});

describe('the networks of real nodes', () => {
  it('have addresses of their own', () => {
    const nodes = layOut('/bed', 9);
    for (const field of ['name', 'address', 'podRange', 'folder', 'network', 'mounts'] as const) {
      expect(new Set(nodes.map((node) => node[field])).size).toBe(9);
    }
  });

  it('are made within the namespaces of the test bed alone, each node with a way to the pods of all others', () => {
    const nodes = layOut('/bed', 3);
    const commands = setupCommands('/bed', nodes).map((command) => command.join(' '));
    for (const node of nodes) {
      const routes = commands.filter(
        (command) => command.includes(node.network) && command.includes('ip route add 10.244'),
      );
      expect(routes.length).toBe(2);
    }
    // No command leads to the first namespace of the machine.
    expect(commands.filter((command) => /--target|netns 1\b/.test(command))).toEqual([]);
  });
});

describe('the command for real nodes', () => {
  it('says what is missing, and starts nothing, where the user is not root', () => {
    const unprivileged = 65_534;
    const args = ['--import', 'tsx', 'testbed/src/main.ts', 'nodes-possible'];
    const asRoot = process.getuid?.() === 0;
    const { status, stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      ...(asRoot ? { uid: unprivileged, env: { ...process.env, HOME: '/nonexistent', TMPDIR: '/dev/shm' } } : {}),
    });
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout:
        'real nodes cannot run on this machine:\n- real nodes need root: they make namespaces, mounts and control groups\n',
    });
  });
});

/** The namespaces of a test bed without a cluster, with what a cluster leaves about: for the tests that end it in every way. */
import { Keeper } from '../../testbed/src/keeper.ts';
import { BedAccess } from '../../testbed/src/nodes/bed-access.ts';
import { makeCgroups, readCgroupMounts } from '../../testbed/src/nodes/cgroups.ts';
import {
  cgroupOf,
  enclosureCommand,
  listenOnLoopback,
  newBedFolder,
  sweep,
  untilEnclosed,
} from '../../testbed/src/nodes/enclosure.ts';
import { layOut, onNode } from '../../testbed/src/nodes/layout.ts';
import { setupCommands } from '../../testbed/src/nodes/setup-commands.ts';

const folder = newBedFolder();
const { server, port, fd } = await listenOnLoopback();
const enclosure = { command: enclosureCommand(folder, false), forward: { fd, port }, sweep: () => sweep(folder) };
const keeper = new Keeper(undefined, enclosure);
server.close();
const initPid = await untilEnclosed(folder, () => keeper.check());
const bed = new BedAccess({ folder, cgroup: cgroupOf(folder), initPid, nodes: 2, ctr: '' });
makeCgroups(
  readCgroupMounts(),
  cgroupOf(folder),
  bed.nodes.map(({ name }) => name),
);
for (const command of setupCommands(folder, bed.nodes)) await bed.must(command);
const [first] = layOut(folder, 2);
if (first === undefined) throw new Error('there is no first node');
// As a container's process: in a session of its own, whose parent has ended.
const daemon = 'echo ready > /var/lib/left-behind; setsid sleep 1000 < /dev/null > /dev/null 2>&1 &';
await bed.must(onNode(first, ['sh', '-c', daemon]));
process.on('SIGTERM', () => void keeper.stop().then(() => process.exit(0)));
// Last, because the test may send the signal as soon as it reads this.
process.stdout.write(`${JSON.stringify({ folder, initPid })}\n`);
setInterval(() => undefined, 1_000);

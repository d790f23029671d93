// dev driver: run one kind of load with a profile of the server only
import { Parts } from '/work/main/bench/cluster/parts.ts';
import { fill, podCollection, podPaths } from '/work/main/bench/cluster/reading.ts';

const kind = process.argv[2];
const parts = new Parts();
await parts.bundle();
process.env.BENCH_EXEC_ARGV =
  process.env.PROF === '0' ? '--trace-uncaught' : '--cpu-prof --cpu-prof-dir=/tmp/bench/prof';
const server = parts.start('server', 'api');
const { access } = await server.next();
delete process.env.BENCH_EXEC_ARGV;
const load = parts.start('load');
await fill(load, access);
if (kind === 'get')
  console.log(await load.ask({ do: 'hammer', access, paths: podPaths(), connections: 32, seconds: 5 }));
if (kind === 'list')
  console.log(await load.ask({ do: 'hammer', access, paths: [podCollection()], connections: 8, seconds: 5 }));
await load.stop();
await server.stop();
parts.close();

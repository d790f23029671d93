// npm run bench -- [suite...]: measures, prints tables, and keeps them in bench/results/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { agentSuite } from './agent/suite.ts';
import { clientSuite } from './client/suite.ts';
import { clusterSuite } from './cluster/suite.ts';
import { coreSuite } from './core/suite.ts';
import { evictionsSuite } from './evictions/suite.ts';
import { planSuite } from './plan/suite.ts';
import { simulateSuite } from './simulate/suite.ts';
import { uiSuite } from './ui/suite.ts';
import { webhookSuite } from './webhook/suite.ts';

/** Each suite returns its report as Markdown. */
const suites: Readonly<Record<string, () => string | Promise<string>>> = {
  core: coreSuite,
  client: clientSuite,
  cluster: clusterSuite,
  plan: planSuite,
  simulate: simulateSuite,
  ui: uiSuite,
  webhook: webhookSuite,
  agent: agentSuite,
  evictions: evictionsSuite,
};

const wanted = process.argv.slice(2);
const names = wanted.length === 0 ? Object.keys(suites) : wanted;
for (const name of names) {
  const suite = suites[name];
  if (suite === undefined) {
    console.error(`no suite ${name}; there are: ${Object.keys(suites).join(', ')}`);
    process.exit(2);
  }
  const report = `# ${name}\n\n${machine()}\n\n${await suite()}`;
  console.log(`\n${report}`);
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(`bench/results/${name}.md`, report);
}

function machine(): string {
  const date = new Date().toISOString().slice(0, 10);
  const busy = (loadavg()[0] ?? 0).toFixed(1);
  return `${date}, Node ${process.version}, ${cpus().length} cores, load ${busy} at the start. Machines are noisy: compare rows, not digits.`;
}

// npm run test:bite -- [schedules, or first-last] [words of a name]: builds the whole stack with one mistake at a time, and tells the first seed that fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { gcOptions } from '../process-runner.ts';
import type { Mistake } from './mistake.ts';
import { mistakenSource } from './mistaken-source.ts';
import { mistakes } from './mistakes.ts';
import type { Tried } from './tried.ts';

/** A schedule that takes longer hangs: a mistake may also be noticed by that. */
const msPerSchedule = 60_000;

const [, from, to = ''] = /^(?:(\d+)-)?(\d+)$/.exec(process.argv[2] ?? '100') ?? [];
const first = Number(from ?? 1);
const last = Number(to);
const words = process.argv.slice(3).join(' ');
if (!(last >= first)) {
  console.error('usage: npm run test:bite -- [schedules, or first-last] [words of a name]');
  process.exit(2);
}
const chosen = mistakes.filter(({ name }) => name.includes(words));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-bite-'));
try {
  for (const mistake of chosen) console.log(`| ${mistake.name} | ${await firstSeed(mistake)} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function firstSeed(mistake: Mistake): Promise<string> {
  const bundle = join(folder, 'try-seeds.mjs');
  await bundled(mistake, bundle);
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const seeds = all.filter((seed) => mistake.stories?.includes(seed % 10) ?? true);
  const run = spawnSync(process.execPath, [...gcOptions, bundle, ...seeds.map(String)], {
    encoding: 'utf8',
    timeout: seeds.length * msPerSchedule,
  });
  if (run.status !== 0) return `ended with ${run.status ?? run.signal}: ${run.stderr.trim().split('\n').at(-1)}`;
  const { schedules, cpuSeconds, noticed } = JSON.parse(run.stdout) as Tried;
  const cost = `${schedules} schedules, ${cpuSeconds.toFixed(0)} s of CPU`;
  return noticed === undefined ? `none to ${last} | ${cost}` : `${noticed.seed} (${noticed.clause}) | ${cost}`;
}

async function bundled(mistake: Mistake, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('try-seeds.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'error',
    // commander and yaml are CommonJS inside; an ES module bundle has no `require` of its own.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    plugins: [replacing(mistakenSource(mistake))],
  });
}

function replacing(texts: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'one mistake',
    setup({ onLoad, onEnd }) {
      const left = new Set(texts.keys());
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = texts.get(path);
        left.delete(path);
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
      onEnd(() => {
        if (left.size > 0) throw new Error(`not part of the stack: ${[...left].join(', ')}`);
      });
    },
  };
}

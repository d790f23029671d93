// npm run test:bite -- [schedules, or first-last] [words of a name]: builds the whole stack with one mistake at a time, and tells the first seed that fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Mistake } from './mistake.ts';
import { mistakenSource } from './mistaken-source.ts';
import { mistakes } from './mistakes.ts';

/** A schedule that takes longer hangs: a mistake may also be noticed by that. */
const msPerSchedule = 60_000;

const [, from, to = ''] = /^(?:(\d+)-)?(\d+)$/.exec(process.argv[2] ?? '100') ?? [];
const first = Number(from ?? 1);
const count = Number(to) - first + 1;
const words = process.argv.slice(3).join(' ');
if (!(count >= 1)) {
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
  const bundle = join(folder, 'run.mjs');
  await bundled(mistake, bundle);
  const run = spawnSync(process.execPath, [bundle, String(count), String(first)], {
    encoding: 'utf8',
    timeout: count * msPerSchedule,
    maxBuffer: 2 ** 28,
  });
  if (run.status === 0) return `none of ${first} to ${first + count - 1}`;
  const told = run.stderr.trimEnd().split('\n');
  const [, seed, clause] = told.map((line) => /^seed (\d+) breaks ([^:]+):/.exec(line)).find((found) => found) ?? [];
  if (seed === undefined)
    throw new Error(`the run with "${mistake.name}" ended otherwise:\n${told.slice(-20).join('\n')}`);
  return `${seed} (${clause})`;
}

async function bundled(mistake: Mistake, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('../run.ts', import.meta.url))],
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

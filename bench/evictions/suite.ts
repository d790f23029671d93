import { type Part, Parts } from '../cluster/parts.ts';
import { type Bed, openBed } from './bed.ts';
import { concurrencies, type Phase, phases, sizes } from './cases.ts';
import { evictionOf, fleetOf, found } from './fleet.ts';
import { measure } from './measure.ts';
import { type PartName, startOperators } from './operators.ts';
import { report } from './report.ts';
import { Results } from './results.ts';
import { UnprotectedRounds } from './unprotected.ts';

/** Medians are of so many. */
const rounds = wholeFrom('HOLDFAST_BENCH_ROUNDS', 3);
/** A measurement ends when so many pods were asked for, or after so long: the built-in path would take minutes. */
const pods = 300;
const seconds = 5;

/** Evictions on a real control plane, with the built-in check and with ours, in turns. */
export async function evictionsSuite(): Promise<string> {
  const parts = new Parts<PartName>(new URL('.', import.meta.url), ['load', 'balancer', 'operator']);
  try {
    await parts.bundle();
    const bed = await openBed();
    try {
      return await evictions(bed, parts);
    } finally {
      await bed.close();
    }
  } finally {
    parts.close();
  }
}

async function evictions(bed: Bed, parts: Parts<PartName>): Promise<string> {
  const load = parts.start('load');
  for (const shape of ['builtin', 'none', 'groups', 'pub'] as const) {
    for (const size of sizes) await found(bed, fleetOf(shape, size));
  }
  const results = new Results();
  const unprotected = new UnprotectedRounds(bed, load);
  for (let round = 1; round <= rounds; round += 1) {
    for (const phase of phases) {
      const { operators: wish } = phase;
      const operators = wish === undefined ? undefined : await startOperators(bed, parts, wish);
      console.error(`round ${round} of ${rounds}: ${phase.cases.map(({ title }) => title).join(', ')}`);
      await measurePhase({ bed, load, results }, phase);
      if (isForUnprotected(phase)) await unprotected.add(operators);
      await operators?.stop();
    }
  }
  return report(results, unprotected.result(), setting());
}

/** With one operator, and without any. */
function isForUnprotected({ operators }: Phase): boolean {
  return operators === undefined || (operators.replicas === 1 && operators.takeover === 'pdb');
}

interface Place {
  readonly bed: Bed;
  readonly load: Part;
  readonly results: Results;
}

async function measurePhase({ bed, load, results }: Place, { cases }: Phase): Promise<void> {
  for (const { key, shape } of cases) {
    for (const size of sizes) {
      for (const concurrency of concurrencies) {
        const wish = { concurrency, pods, seconds, request: evictionOf };
        const measured = await measure(bed, load, fleetOf(shape, size), wish);
        results.add(key, size, concurrency, measured);
        console.error(`  ${key} ${size} x${concurrency}: ${Math.round(measured.perSecond)}/s`);
      }
    }
  }
}

function setting(): string {
  return `kube-apiserver 1.37 with etcd 3.6, controller manager, scheduler and simulated kubelets, everything on one machine, operators as processes of their own with the rights of the manifests. Each figure is the median of ${rounds} rounds, in which the cases take turns; each measurement is of ${pods} pods or ${seconds} seconds, whichever comes first, of pods that are ready, under a budget that lets all but the last unit go. Groups are PodGroups of four. Writes are requests to the API server for pods, their evictions, budgets and ledgers.`;
}

function wholeFrom(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 20)
    throw new Error(`${name} must be a whole number from 1 to 20`);
  return value;
}

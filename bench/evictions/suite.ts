import { type Part, Parts } from '../cluster/parts.ts';
import { type Bed, openBed, openPlane, type Plane } from './bed.ts';
import { type Case, concurrencies, kruiseCase, type Phase, phases, sizes } from './cases.ts';
import { chosenCases, isWhole } from './chosen.ts';
import { evictionOf, fleetOf, found } from './fleet.ts';
import { type Measured, measure } from './measure.ts';
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
  const chosen = chosenCases(process.env);
  const isChosen = ({ key }: Case) => chosen.has(key);
  await foundAll(bed, phases.flatMap(({ cases }) => cases).filter(isChosen));
  const results = new Results();
  const unprotected = isWhole(chosen) ? new UnprotectedRounds(bed, load) : undefined;
  for (let round = 1; round <= rounds; round += 1) {
    for (const phase of phases) {
      const cases = phase.cases.filter(isChosen);
      if (cases.length === 0) continue;
      announce(round, cases);
      await goingOn(results, `round ${round}, ${titlesOf(cases)}`, async () => {
        const { operators: wish } = phase;
        const operators = wish === undefined ? undefined : await startOperators(bed, parts, wish);
        try {
          await measureCases({ plane: bed, load, results }, cases);
          if (isForUnprotected(phase)) await unprotected?.add(operators);
        } finally {
          await operators?.stop();
        }
      });
    }
    if (!isChosen(kruiseCase)) continue;
    announce(round, [kruiseCase]);
    await goingOn(results, `round ${round}, ${kruiseCase.title}`, () => measureKruise(load, results));
  }
  return report(results, unprotected?.result(), setting(isChosen(kruiseCase)));
}

function announce(round: number, cases: readonly Case[]): void {
  console.error(`round ${round} of ${rounds}: ${titlesOf(cases)}`);
}

function titlesOf(cases: readonly Case[]): string {
  return cases.map(({ title }) => title).join(', ');
}

/** A run takes most of an hour: what breaks off is told, and takes nothing with it. */
async function goingOn(results: Results, where: string, phase: () => Promise<void>): Promise<void> {
  try {
    await phase();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(`  broke off: ${why}`);
    results.brokeOff(where, why);
  }
}

async function foundAll(plane: Plane, cases: readonly Case[]): Promise<void> {
  for (const shape of new Set(cases.map((one) => one.shape))) {
    for (const size of sizes) await found(plane, fleetOf(shape, size));
  }
}

/** It comes up and goes each time, so that it takes nothing from the other cases. */
async function measureKruise(load: Part, results: Results): Promise<void> {
  const plane = await openPlane(['kruise']);
  try {
    await foundAll(plane, [kruiseCase]);
    await measureCases({ plane, load, results }, [kruiseCase]);
  } finally {
    await plane.close();
  }
}

/** With one operator, and without any. */
function isForUnprotected({ operators }: Phase): boolean {
  return operators === undefined || (operators.replicas === 1 && operators.takeover === 'on');
}

interface Place {
  readonly plane: Plane;
  readonly load: Part;
  readonly results: Results;
}

async function measureCases({ plane, load, results }: Place, cases: readonly Case[]): Promise<void> {
  for (const { key, shape } of cases) {
    for (const size of sizes) {
      for (const concurrency of concurrencies) {
        const wish = { concurrency, pods, seconds, request: evictionOf };
        const measured = await measure(plane, load, fleetOf(shape, size), wish);
        results.add(key, size, concurrency, measured);
        console.error(`  ${key} ${size} x${concurrency}: ${told(measured)}`);
      }
    }
  }
}

function told({ perSecond, p50, p99, refused, failed }: Measured): string {
  const trouble = refused + failed === 0 ? '' : `, ${refused} refused, ${failed} failed`;
  return `${Math.round(perSecond)}/s, p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms${trouble}`;
}

function setting(kruise: boolean): string {
  const apart = kruise
    ? ' OpenKruise 1.8, with its default flags, has a control plane of the same kind to itself, beside which the other one is at rest.'
    : '';
  return `kube-apiserver 1.37 with etcd 3.6, controller manager, scheduler and simulated kubelets, everything on one machine, operators as processes of their own with the rights of the manifests. Each figure is the median of ${rounds} rounds, in which the cases take turns; each measurement is of ${pods} pods or ${seconds} seconds, whichever comes first, of pods that are ready, under a budget that lets all but the last unit go. Groups are PodGroups of four. Writes are requests to the API server for pods, their evictions, budgets and ledgers.${apart}`;
}

function wholeFrom(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 20)
    throw new Error(`${name} must be a whole number from 1 to 20`);
  return value;
}

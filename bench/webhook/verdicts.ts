import { whole } from '../cluster/figures.ts';
import { markdownTable } from '../core/measure.ts';
import { flippedWorkloads } from './big-cluster.ts';
import { groupSize, type Workload, workloads } from './fleet.ts';
import type { Loaded, Review, ToLoad, Usage } from './messages.ts';
import { deletionReview, evictionReview } from './reviews.ts';
import { type Stage, usageOf, webhookOf } from './stage.ts';

const connections = 32;
const warmUpSeconds = 2;
const hammerSeconds = 5;
const paceSeconds = 10;
const perSecond = 1_000;
/** Different pods that are asked about in turn. */
const asked = 1_000;

interface Case {
  readonly what: string;
  readonly reviews: readonly Review[];
  readonly allowed: boolean;
}

/** To be measured while one pod of each of the flipped workloads is down: so these budgets have nothing left to give. */
function cases(): readonly Case[] {
  const free = pick(({ protection }) => protection === 'none', 1);
  const exhausted = pick((one) => flippedWorkloads.includes(one), groupSize);
  const healthy = pick(({ name }) => name === 'checkout-1', 1);
  const dryEviction = (pod: number) => evictionReview(pod, true);
  const dryDeletion = (pod: number) => deletionReview(pod, true);
  return [
    { what: 'eviction, no budget', reviews: free.map(dryEviction), allowed: true },
    { what: 'eviction, refused by a budget', reviews: exhausted.map(dryEviction), allowed: false },
    { what: 'eviction, allowed by a budget', reviews: healthy.map(dryEviction), allowed: true },
    { what: 'deletion (with the whole pod), no budget', reviews: free.map(dryDeletion), allowed: true },
  ];
}

/** Pods all over the cluster: the n-th one of each workload. */
function pick(chosen: (workload: Workload) => boolean, nth: number): readonly number[] {
  const some = workloads.filter(chosen);
  return Array.from({ length: asked }, (_, i) => (some[(i * 7919) % some.length] as Workload).firstPod + nth);
}

interface Measured {
  readonly hammered: Loaded;
  readonly paced: Loaded;
  readonly hammerCpu: number;
  readonly paceCpu: number;
}

export async function verdicts(stage: Stage): Promise<string> {
  const rows: string[][] = [];
  for (const one of cases()) rows.push([one.what, ...cells(await measure(stage, one))]);
  const table = markdownTable(
    [
      'dry run',
      'verdicts for a second of CPU',
      'wanted',
      'verdicts/s',
      'CPU each',
      `at ${whole(perSecond)}/s: p50`,
      'p99',
      'wanted',
      'slowest',
      'core in use',
    ],
    rows,
  );
  const what = `Reviews as an API server sends them, over ${connections} kept TLS connections, against the operator with the whole cluster in view. First as fast as they are answered (${hammerSeconds} s); then ${whole(perSecond)} a second for ${paceSeconds} s, whether the answers come or not, each timed from the moment at which it was due. The caller and the operator share the cores, so what one core can do is told by the operator's CPU time, all its threads included.`;
  return `${what}\n\n${table}`;
}

async function measure(stage: Stage, { what, reviews, allowed }: Case): Promise<Measured> {
  const webhook = await webhookOf(stage);
  const order = { webhook, reviews, connections } as const;
  const run = async (load: ToLoad): Promise<readonly [Loaded, number]> => {
    const before = await usageOf(stage);
    const loaded = await stage.load.ask<Loaded>(load);
    assertAll(what, loaded, allowed);
    return [loaded, cpuBetween(before, await usageOf(stage))];
  };
  await run({ do: 'hammer', ...order, seconds: warmUpSeconds });
  const [hammered, hammerCpu] = await run({ do: 'hammer', ...order, seconds: hammerSeconds });
  const [paced, paceCpu] = await run({ do: 'pace', ...order, seconds: paceSeconds, perSecond });
  return { hammered, paced, hammerCpu, paceCpu };
}

function cpuBetween(before: Usage, after: Usage): number {
  return (after.micros - before.micros) / 1e6;
}

function assertAll(what: string, { allowed, refused, broken }: Loaded, expected: boolean): void {
  const right = expected ? refused === 0 : allowed === 0;
  if (!right || broken > 0) throw new Error(`${what}: ${allowed} allowed, ${refused} refused, ${broken} broken`);
}

function cells({ hammered, paced, hammerCpu, paceCpu }: Measured): string[] {
  const answers = hammered.allowed + hammered.refused;
  return [
    whole(answers / hammerCpu),
    '5,000',
    whole(answers / hammered.seconds),
    `${whole((1e6 * hammerCpu) / answers)} us`,
    milliseconds(paced.p50),
    milliseconds(paced.p99),
    '10 ms',
    milliseconds(paced.slowest),
    `${whole((100 * paceCpu) / paced.seconds)} %`,
  ];
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

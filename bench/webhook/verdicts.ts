import { percent, whole } from '../cluster/figures.ts';
import type { Cpu } from '../cluster/messages.ts';
import type { Part } from '../cluster/parts.ts';
import { markdownTable } from '../core/measure.ts';
import { flippedWorkloads } from './big-cluster.ts';
import { groupSize, type Workload, workloads } from './fleet.ts';
import type { Loaded, Review, ToBare, ToLoad } from './messages.ts';
import { deletionReview, evictionReview } from './reviews.ts';
import { type Stage, webhookOf } from './stage.ts';

const connections = 32;
const warmUpSeconds = 3;
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

/** What a process did under a load, and the seconds of CPU that it took. */
interface Measured extends Loaded {
  readonly cpu: number;
}

export async function verdicts(stage: Stage): Promise<string> {
  const rates: string[][] = [];
  const latencies: string[][] = [];
  for (const one of cases()) {
    const { ours, alone, paced } = await measure(stage, one);
    rates.push([one.what, ...rateCells(ours, alone)]);
    latencies.push([one.what, ...latencyCells(paced)]);
  }
  const what = `Dry runs, with reviews as an API server sends them, over ${connections} kept TLS connections, against the operator with the whole cluster in view. The caller and the operator share the cores with whatever else runs there, so what a core can do is told by CPU time, with all threads of a process: collecting garbage, too.`;
  const fast = `As fast as they are answered, ${hammerSeconds} s each, and the same bytes from a bare node:https server that does nothing else:`;
  const steady = `${whole(perSecond)} a second for ${paceSeconds} s, whether the answers come or not, each timed from the moment at which it was due:`;
  const rateHead = [
    '',
    "a verdict's CPU against a bare answer's",
    'CPU each',
    'bare',
    'verdicts for a second of CPU',
    'wanted',
    'verdicts/s',
    'bare answers/s',
  ];
  const latencyHead = ['', 'p50', 'p99', 'wanted', 'slowest', 'of a core in use'];
  return [what, fast, markdownTable(rateHead, rates), steady, markdownTable(latencyHead, latencies)].join('\n\n');
}

async function measure(stage: Stage, { what, reviews, allowed }: Case) {
  const order = { webhook: await webhookOf(stage), reviews, connections } as const;
  const hammer = { do: 'hammer', ...order, seconds: hammerSeconds } as const;
  const run = async (server: Part, load: ToLoad): Promise<Measured> => {
    const before = await server.ask<Cpu>({ do: 'usage' });
    const loaded = await stage.load.ask<Loaded>(load);
    assertAll(what, loaded, allowed);
    const after = await server.ask<Cpu>({ do: 'usage' });
    return { ...loaded, cpu: (after.micros - before.micros) / 1e6 };
  };
  const { example } = await run(stage.operator, { ...hammer, seconds: warmUpSeconds });
  const ours = await run(stage.operator, hammer);
  await stage.bare.ask({ do: 'answer', bytes: example } satisfies ToBare);
  const bare = { ...hammer, webhook: stage.bareEndpoint } as const;
  await run(stage.bare, { ...bare, seconds: warmUpSeconds });
  const alone = await run(stage.bare, bare);
  const paced = await run(stage.operator, { do: 'pace', ...order, seconds: paceSeconds, perSecond });
  return { ours, alone, paced };
}

function assertAll(what: string, { allowed, refused, broken }: Loaded, expected: boolean): void {
  const right = expected ? refused === 0 : allowed === 0;
  if (!right || broken > 0) throw new Error(`${what}: ${allowed} allowed, ${refused} refused, ${broken} broken`);
}

function rateCells(ours: Measured, alone: Measured): string[] {
  const answers = ({ allowed, refused }: Measured) => allowed + refused;
  const micros = (one: Measured) => (1e6 * one.cpu) / answers(one);
  return [
    `${(micros(ours) / micros(alone)).toFixed(1)} x`,
    `${whole(micros(ours))} us`,
    `${whole(micros(alone))} us`,
    whole(1e6 / micros(ours)),
    '5,000',
    whole(answers(ours) / ours.seconds),
    whole(answers(alone) / alone.seconds),
  ];
}

function latencyCells({ p50, p99, slowest, cpu, seconds }: Measured): string[] {
  const milliseconds = (ms: number) => `${ms.toFixed(1)} ms`;
  return [milliseconds(p50), milliseconds(p99), '10 ms', milliseconds(slowest), percent(cpu / seconds)];
}

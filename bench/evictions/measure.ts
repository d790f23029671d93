import type { Request } from '../cluster/messages.ts';
import type { Part } from '../cluster/parts.ts';
import type { Plane } from './bed.ts';
import { type Fleet, refill, targetsOf, untilCounted } from './fleet.ts';
import type { Disrupted, ToLoad } from './messages.ts';
import { type Writes, writesBetween, writesIn } from './writes.ts';

/** What came of a number of disruptions. */
export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests to the API server that write, for each pod that went. */
  readonly writes: number;
  /** 429. */
  readonly refused: number;
  /** Neither done nor refused: 409, 500 and the like. */
  readonly failed: number;
}

export interface MeasureWish {
  readonly concurrency: number;
  readonly pods: number;
  readonly seconds: number;
  readonly request: (fleet: Fleet, pod: string) => Request;
}

/** Takes pods of a fleet away that is whole and at rest. */
export async function measure(bed: Plane, load: Part, fleet: Fleet, wish: MeasureWish): Promise<Measured> {
  await refill(bed, load, fleet);
  await untilCounted(bed, fleet);
  const { concurrency: connections, seconds } = wish;
  const requests = targetsOf(fleet, wish.pods).map((pod) => wish.request(fleet, pod));
  const before = await writesOf(bed);
  const { access } = bed;
  const order = { do: 'disrupt', access, requests, connections, seconds } satisfies ToLoad;
  const disrupted = await load.ask<Disrupted>(order);
  return resultOf(disrupted, writesBetween(before, await writesOf(bed)));
}

function resultOf({ codes, seconds, p50, p99, sent }: Disrupted, writes: number): Measured {
  // 404: it was there, and went before the API server looked again.
  const done = [200, 201, 404].reduce((sum, code) => sum + (codes[code] ?? 0), 0);
  const refused = codes[429] ?? 0;
  return {
    perSecond: done / seconds,
    p50,
    p99,
    writes: writes / Math.max(1, done),
    refused,
    failed: sent - done - refused,
  };
}

async function writesOf({ http }: Plane): Promise<Writes> {
  const { code, text } = await http.request('GET', '/metrics');
  if (code !== 200) throw new Error(`the API server shows no metrics: ${code}`);
  return writesIn(text);
}

/** Of each figure by itself. */
export function medianOf(rounds: readonly Measured[]): Measured {
  const of = (key: keyof Measured) => median(rounds.map((round) => round[key]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    writes: of('writes'),
    refused: of('refused'),
    failed: of('failed'),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

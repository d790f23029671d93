import type { Part, Parts } from '../cluster/parts.ts';
import type { Endpoint, Ready, ToApi, ToOperator, Usage } from './messages.ts';

/** The processes, once they run: the API server, the operator, who calls its webhook, and a bare server to compare with. */
export interface Stage {
  readonly api: Part;
  readonly apiEndpoint: Endpoint;
  readonly operator: Part;
  readonly load: Part;
  readonly bare: Part;
  readonly bareEndpoint: Endpoint;
}

export interface Opening {
  readonly stage: Stage;
  readonly ready: Ready;
  /** From the start of the operator's process. */
  readonly readyMs: number;
}

const readyPatienceMs = 180_000;

export async function openStage(parts: Parts<'api' | 'operator' | 'load' | 'bare'>): Promise<Opening> {
  const api = parts.start('api');
  const apiEndpoint = await api.next<Endpoint>();
  const load = parts.start('load');
  const bare = parts.start('bare');
  const bareEndpoint = await bare.next<Endpoint>();
  const begun = performance.now();
  const operator = parts.start('operator');
  await operator.ask({ do: 'start', api: apiEndpoint } satisfies ToOperator);
  const ready = await operator.ask<Ready>({ do: 'ready', patienceMs: readyPatienceMs } satisfies ToOperator);
  const readyMs = performance.now() - begun;
  if (ready.missing.length > 0) throw new Error(`the operator did not become ready: ${ready.missing.join(', ')}`);
  return { stage: { api, apiEndpoint, operator, load, bare, bareEndpoint }, ready, readyMs };
}

export function usageOf({ operator }: Stage): Promise<Usage> {
  return operator.ask<Usage>({ do: 'usage' } satisfies ToOperator);
}

export function webhookOf({ api }: Stage): Promise<Endpoint> {
  return api.ask<Endpoint>({ do: 'webhook' } satisfies ToApi);
}

import { setTimeout as pause } from 'node:timers/promises';
import { registerAt } from '../../test/support/installed.ts';
import { freePorts } from '../../testbed/src/ports.ts';
import type { Part, Parts } from '../cluster/parts.ts';
import type { Bed } from './bed.ts';
import type { ToBalancer } from './messages.ts';

export type PartName = 'load' | 'balancer' | 'operator';

export interface OperatorsWish {
  readonly replicas: number;
  readonly takeover: 'on' | 'off';
}

export interface Operators {
  /** Calls of their webhooks so far. */
  calls(): Promise<number>;
  stop(): Promise<void>;
}

const readyMs = 60_000;

/**
 * Operators as processes of their own behind one address, which the API server asks from now on. A single one is asked directly: what
 * spreads connections in a cluster is its network, and costs no process of its own.
 */
export async function startOperators(bed: Bed, parts: Parts<PartName>, wish: OperatorsWish): Promise<Operators> {
  const { replicas } = wish;
  const balancer = replicas === 1 ? undefined : parts.start('balancer');
  const spreadOver = (targets: readonly number[]) =>
    balancer?.ask<{ port: number }>({ do: 'spread', targets } satisfies ToBalancer);
  // It listens before ports are looked for: afterwards it could take one of them.
  await spreadOver([]);
  const ports = await freePorts(2 * replicas);
  const webhookPorts = ports.slice(0, replicas);
  const healthPorts = ports.slice(replicas);
  const port = (await spreadOver(webhookPorts))?.port ?? webhookPorts[0];
  const url = `https://127.0.0.1:${port}`;
  const running = webhookPorts.map((webhook, i) =>
    startOne(parts, bed, { webhook, health: healthPorts[i] ?? 0, url, takeover: wish.takeover }),
  );
  const { kubeconfig, http } = bed;
  const webhooks = await registerAt({ kubeconfig, request: (...args) => http.request(...args) }, url);
  await webhooks.trusted();
  for (const health of healthPorts) await untilReady(health);
  return {
    async calls() {
      const pages = await Promise.all(healthPorts.map((health) => pageAt(health, 'metrics')));
      return pages.reduce((sum, { text }) => sum + callsIn(text), 0);
    },
    async stop() {
      await webhooks.close();
      await Promise.all([...running, balancer].map((one) => one?.stop()));
    },
  };
}

interface Replica {
  readonly webhook: number;
  readonly health: number;
  readonly url: string;
  readonly takeover: OperatorsWish['takeover'];
}

function startOne(parts: Parts<PartName>, bed: Bed, { webhook, health, url, takeover }: Replica): Part {
  return parts.start(
    'operator',
    'operator',
    ...['--kubeconfig', bed.operatorKubeconfigPath, '--webhook-url', url, '--takeover', takeover],
    ...['--webhook-port', String(webhook), '--health-port', String(health), '--log-level', 'error'],
  );
}

async function untilReady(health: number): Promise<void> {
  const end = Date.now() + readyMs;
  for (;;) {
    const { ok, text } = await pageAt(health, 'readyz').catch((error: unknown) => ({ ok: false, text: String(error) }));
    if (ok) return;
    if (Date.now() > end) throw new Error(`an operator is not ready: ${text}`);
    await pause(100);
  }
}

async function pageAt(port: number, page: 'readyz' | 'metrics'): Promise<{ ok: boolean; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}/${page}`);
  return { ok: answer.ok, text: await answer.text() };
}

function callsIn(metrics: string): number {
  const lines = metrics.match(/^holdfast_webhook_calls_total\{.*\} (\d+)$/gm) ?? [];
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

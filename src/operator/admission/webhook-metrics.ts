import { type Metrics, requestBuckets } from '../../telemetry/metrics.ts';
import type { Unproven } from './caller.ts';

/** How a call ended. */
export type Outcome =
  | 'allowed'
  | 'denied'
  /** The review could not be understood. */
  | 'bad'
  /** The deadline passed. */
  | 'late'
  /** The handler failed. */
  | 'failed'
  /** It was no call of a webhook: wrong path, method, type or size. */
  | 'rejected'
  /** The client went away before there was an answer. */
  | 'gone';

export interface Call {
  /** The path of the webhook; `none` for calls that met none. */
  readonly webhook: string;
  readonly outcome: Outcome;
  /** Of the refusal in the review, else of the HTTP answer. */
  readonly code: number;
  readonly seconds: number;
}

export interface WebhookMetrics {
  call(call: Call): void;
  handshakeFailed(): void;
  unproven(lacks: Unproven): void;
  pending(count: number): void;
}

export function createWebhookMetrics(metrics: Metrics): WebhookMetrics {
  const calls = metrics.counter({
    name: 'webhook_calls_total',
    help: 'Calls of the admission webhooks by path, outcome and code.',
    labels: ['webhook', 'outcome', 'code'],
  });
  const seconds = metrics.histogram(
    {
      name: 'webhook_call_duration_seconds',
      help: 'Time from the head of a call to its answer.',
      labels: ['webhook'],
    },
    requestBuckets,
  );
  const handshakes = metrics.counter({
    name: 'webhook_tls_failures_total',
    help: 'TLS handshakes that failed.',
    labels: [],
  });
  const unproven = metrics.counter({
    name: 'webhook_unproven_calls_total',
    help: 'Calls that did not prove to come from an API server, by what they lacked. They were answered 404, and nothing else.',
    labels: ['lacks'],
  });
  const pending = metrics.gauge({
    name: 'webhook_calls_pending',
    help: 'Calls that wait for their answer.',
    labels: [],
  });
  return {
    call({ webhook, outcome, code, seconds: took }) {
      calls.add({ webhook, outcome, code: String(code) });
      seconds.observe({ webhook }, took);
    },
    handshakeFailed: () => handshakes.add({}),
    unproven: (lacks) => unproven.add({ lacks }),
    pending: (count) => pending.set({}, count),
  };
}

import { unprovenReason } from '../../../api/event-reasons.ts';
import { operatorName } from '../../../api/installation-names.ts';
import type { EventRecorder } from '../../../kube/events/recorder.ts';
import type { Logger } from '../../../telemetry/log.ts';
import type { WebhookClock } from '../deadline.ts';
import type { Unproven } from './call.ts';

export interface UnprovenParts {
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly log: Logger;
  readonly clock: WebhookClock;
  /** The operator's own namespace. */
  readonly namespace: string;
}

/** However many there are, an administrator hears of them once in so long. The metric has the number. */
const tellEveryMs = 60_000;

const meanings: Readonly<Record<Unproven, string>> = {
  path: 'without the path that the webhook configurations name',
  certificate: 'without a client certificate of an API server',
  token: 'without a token of an API server',
};

/**
 * Tells administrators, by an Event of the Service, that something other than an API server called the webhooks. `holdfast status`
 * looks for it.
 */
export function unprovenCalls({
  recorder,
  log,
  clock,
  namespace,
}: UnprovenParts): (lacks: Unproven, from: string) => void {
  let toldMs = Number.NEGATIVE_INFINITY;
  return (lacks, from) => {
    const now = clock.monotonic();
    if (now - toldMs < tellEveryMs) return;
    toldMs = now;
    log.warn('a caller that is not an API server called a webhook', { lacks, from });
    recorder.record({
      subject: { apiVersion: 'v1', kind: 'Service', namespace, name: operatorName },
      type: 'Warning',
      reason: unprovenReason,
      message: `the webhooks were called ${meanings[lacks]}; the calls were answered 404 and changed nothing`,
    });
  };
}

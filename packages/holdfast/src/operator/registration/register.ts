import { operatorName } from '../../api/installation-names.ts';
import { type InstallValues, type WebhookConfiguration, webhookConfigurations } from '../../install/index.ts';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { Backoff } from '../../kube/time/backoff.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import { resources } from '../../observe/resources.ts';
import type { Logger } from '../../telemetry/log.ts';

export interface RegistrationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** With the URL at which API servers reach the webhooks, or a balancer before them. */
  readonly values: InstallValues;
  /** At which the operator has a handler. */
  readonly paths: ReadonlySet<string>;
  /** What proves API servers in the path. Absent: bare paths, until the leader writes one. */
  readonly segment?: string;
  readonly signal: AbortSignal;
}

export type RegistrationOutcome =
  | { readonly kind: 'registered' }
  /** It will not get better by itself. */
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'stopped' };

/** Of its own, apart from the one that writes whom to trust: what is applied without a caBundle must leave it as it is. */
const fieldManager = 'holdfast-registration';
const backoffLimits = { baseMs: 250, capMs: 15_000 };

/**
 * Tells API servers to call our webhooks, where no manifests do: outside of the cluster. Operators may do so at the same time, since
 * they all say the same; whom to trust is left as it is.
 */
export async function registerWebhooks(options: RegistrationOptions): Promise<RegistrationOutcome> {
  for (const configuration of webhookConfigurations(options.values, options.paths, options.segment)) {
    const registered = await registerOne(options, configuration);
    if (registered.kind !== 'registered') return registered;
  }
  options.log.info('webhooks are registered', { url: options.values.webhook.url });
  return { kind: 'registered' };
}

async function registerOne(options: RegistrationOptions, body: WebhookConfiguration): Promise<RegistrationOutcome> {
  const { client, clock, signal, log } = options;
  const backoff = new Backoff(backoffLimits, options.random);
  const kind = body.kind ?? '';
  for (;;) {
    const applied = await client.patch(
      resourceOf(body),
      { name: operatorName },
      // By force: who starts an operator by hand wants its webhooks to be called as it says.
      { type: 'apply', body, fieldManager, force: true },
      { signal },
    );
    if (applied.ok) return { kind: 'registered' };
    const { failure } = applied;
    if (signal.aborted) return { kind: 'stopped' };
    if (isFinal(failure)) return { kind: 'refused', problem: problemOf(failure, kind) };
    log.warn('webhooks cannot be registered yet', { kind, error: failure.message });
    if (!(await sleep(clock, delayAfter(failure, backoff), signal))) return { kind: 'stopped' };
  }
}

function resourceOf({ kind }: WebhookConfiguration): ResourceName {
  return kind === 'MutatingWebhookConfiguration' ? resources.mutating : resources.validating;
}

function isFinal({ kind }: Failure): boolean {
  return kind === 'denied' || kind === 'rejected' || kind === 'notFound';
}

function delayAfter(failure: Failure, backoff: Backoff): number {
  const asked = failure.kind === 'retry' || failure.kind === 'tooManyRequests' ? failure.retryAfterMs : undefined;
  return Math.max(asked ?? 0, backoff.next());
}

function problemOf({ kind, message }: Failure, configuration: string): string {
  const what = `${configuration} ${JSON.stringify(operatorName)}`;
  switch (kind) {
    case 'denied':
      return `cannot register the webhooks by URL: the operator needs the right to create and patch ${what}: ${message}`;
    case 'notFound':
      return `the API server does not serve ${configuration} of ${resources.validating.group}/${resources.validating.version}: ${message}`;
    default:
      return `the API server rejected ${what}; an installed one that calls a Service may be the reason: ${message}`;
  }
}

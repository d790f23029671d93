import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { operatorName } from '../../api/installation-names.ts';
import {
  deploymentReadiness,
  type InstallValues,
  type WebhookConfiguration,
  webhookConfigurations,
} from '../../install/index.ts';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import { resources } from '../../observe/resources.ts';
import type { Logger } from '../../telemetry/log.ts';
import { type FoundConfiguration, withWebhooks } from './registered.ts';

export interface RegistrarOptions {
  readonly client: Pick<KubeClient, 'get' | 'replace'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly values: InstallValues;
  /** At which the operator has a handler. */
  readonly paths: ReadonlySet<string>;
  /** What proves API servers in the path. Undefined: it is not known yet. */
  readonly segment: () => string | undefined;
}

/** What one look at the cluster led to. */
export type RegistrarRound =
  | { readonly kind: 'registered'; readonly written: number }
  /** Replicas of the operator are missing, or of another version: they could not answer these webhooks. */
  | { readonly kind: 'waiting'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A user of Helm waits for the first registration. Later ones follow an upgrade, which takes longer than this. */
const everyMs = 2_000;
const fieldManager = 'holdfast-registration';
const deployments: ResourceName = { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true };

/**
 * Puts the webhooks into configurations that another tool has created and will delete: the leader does so until the signal says stop. It never
 * creates a configuration, so that deleting one switches protection off for good.
 */
export async function leadRegistration(options: RegistrarOptions, signal: AbortSignal): Promise<void> {
  const { log, clock } = options;
  let said = '';
  while (!signal.aborted) {
    const round = await registrarRound(options, signal);
    if (signal.aborted) return;
    const text = textOf(round);
    if (text !== said && text !== '') log.info('webhooks are not registered yet', { because: text });
    if (round.kind === 'registered' && round.written > 0) log.info('webhooks are registered');
    said = text;
    await sleep(clock, everyMs, signal);
  }
}

function textOf(round: RegistrarRound): string {
  switch (round.kind) {
    case 'registered':
      return '';
    case 'waiting':
      return round.text;
    case 'failed':
      return round.failure.message;
  }
}

/** Writes nothing before every replica is available and of this version. */
export async function registrarRound(options: RegistrarOptions, signal: AbortSignal): Promise<RegistrarRound> {
  const { client, values, paths, segment } = options;
  const changes: { readonly resource: ResourceName; readonly body: FoundConfiguration }[] = [];
  for (const wanted of webhookConfigurations(values, paths)) {
    const resource = resourceOf(wanted);
    const found = await client.get<FoundConfiguration>(resource, { name: operatorName }, { signal });
    if (!found.ok && found.failure.kind === 'notFound') continue;
    if (!found.ok) return { kind: 'failed', failure: found.failure };
    const body = withWebhooks(found.value, wanted, segment());
    if (body !== undefined) changes.push({ resource, body });
  }
  if (changes.length === 0) return { kind: 'registered', written: 0 };
  const missing = await missingReplicas(options, signal);
  if (missing !== undefined) return missing;
  for (const { resource, body } of changes) {
    const written = await client.replace(resource, { name: operatorName }, body, { signal, fieldManager });
    if (!written.ok) return { kind: 'failed', failure: written.failure };
  }
  return { kind: 'registered', written: changes.length };
}

async function missingReplicas(
  { client, values }: RegistrarOptions,
  signal: AbortSignal,
): Promise<RegistrarRound | undefined> {
  const place = { namespace: values.namespace, name: operatorName };
  const found = await client.get<Deployment>(deployments, place, { signal });
  if (!found.ok && found.failure.kind !== 'notFound') return { kind: 'failed', failure: found.failure };
  const readiness = deploymentReadiness(found.ok ? found.value : undefined);
  return readiness.kind === 'ready' ? undefined : { kind: 'waiting', text: readiness.text };
}

function resourceOf({ kind }: WebhookConfiguration): ResourceName {
  return kind === 'MutatingWebhookConfiguration' ? resources.mutating : resources.validating;
}

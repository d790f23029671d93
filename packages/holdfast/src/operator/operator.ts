import { defaultInstallValues } from '../install/index.ts';
import type { LeaseElection } from '../kube/election/lease-election.ts';
import { sleep } from '../kube/time/clock.ts';
import type { HealthServer } from '../telemetry/health/health-server.ts';
import { createReadiness, type Readiness } from '../telemetry/health/readiness.ts';
import { createWebhookMetrics } from './admission/wire/exchange.ts';
import type { WebhookServer } from './admission/wire/server.ts';
import { shutDown } from './admission/wire/shutdown.ts';
import { type Assembly, assemble } from './assembly.ts';
import type { Certificates } from './certificates/certificates.ts';
import { networkEdges, type OperatorEdges } from './edges.ts';
import { followReadiness } from './follow-readiness.ts';
import { createViewMetrics } from './handlers/view-metrics.ts';
import { createElection } from './leading.ts';
import { askOwnName } from './own-name.ts';
import { registerWebhooks } from './registration/register.ts';
import { leadRegistration } from './registration/registrar.ts';
import { callerRules } from './serving.ts';
import { type OperatorEnvironment, OperatorProblem, type OperatorRuntime, type OperatorSettings } from './settings.ts';

export interface RunningOperator {
  readonly webhookPort: number;
  readonly healthPort: number;
  /** Why it is not ready; empty: it is. */
  missing(): readonly string[];
  /** The unguessable part of the webhooks' URL, by which API servers prove themselves. Undefined: it is not known yet. */
  pathSegment(): string | undefined;
  /** Leaves without a refused request, and gives up leading. */
  stop(): Promise<void>;
}

/** For requests that are under way after every API server has stopped sending new ones to this replica. */
const drainMs = 15_000;

/** Resolves when the webhooks are being served; they are right to be called when `missing()` is empty. */
export function startOperator(settings: OperatorSettings, environment: OperatorEnvironment): Promise<RunningOperator> {
  return runOperator(settings, environment, networkEdges(settings, environment));
}

/** The same, with whatever ways to the API server and from it there are. */
export async function runOperator(
  settings: OperatorSettings,
  environment: OperatorRuntime,
  edges: OperatorEdges,
): Promise<RunningOperator> {
  const parts = assemble(settings, environment, edges.api);
  const { certificates, authorities } = await edges.certificates(parts);
  const election = createElection({
    ...parts,
    certificates,
    register: registrarOf(settings, parts, certificates),
    pruner: parts.admission.pruner,
    sizes: parts.admission.sizes,
    viewComplete: () => parts.view.missing().length === 0 && parts.foreignWebhooks.synced,
  });
  const readiness = readinessOf(parts, certificates);
  createViewMetrics(parts.context.metrics, () => ({
    ages: parts.view.ages(),
    versionOf: (collection) => parts.context.world.syncedVersion(collection),
    leads: election.isLeader,
  }));
  const health = await edges.showHealth(readiness, parts.context.metrics);
  const stopping = new AbortController();
  const running: Running = { settings, edges, parts, certificates, authorities, election, readiness, health, stopping };
  const giveUp = () => {
    stopping.abort();
    void certificates.close();
  };
  environment.signal?.addEventListener('abort', giveUp, { once: true });
  begin(running);
  try {
    if (environment.signal?.aborted === true) giveUp();
    const webhook = await serve(running);
    environment.signal?.removeEventListener('abort', giveUp);
    const { clock } = parts.context;
    const following = edges.keepsConnections ? followReadiness({ readiness, webhook, clock }) : undefined;
    return {
      webhookPort: webhook.port,
      healthPort: health.port,
      missing: () => readiness.missing(),
      pathSegment: () => certificates.paths.current(),
      stop: () => {
        following?.close();
        return stop(running, webhook);
      },
    };
  } catch (error) {
    await stop(running, undefined);
    throw error;
  }
}

/** Undefined: another tool applies the configurations with their webhooks. */
function registrarOf(
  settings: OperatorSettings,
  { context, handlers }: Assembly,
  { paths }: Certificates,
): ((signal: AbortSignal) => Promise<void>) | undefined {
  const { fill, url } = settings.webhook;
  if (fill === undefined) return undefined;
  const { clients, clock, log } = context;
  const options = {
    client: clients.upkeep,
    clock,
    log,
    values: {
      ...defaultInstallValues,
      namespace: settings.namespace,
      mode: settings.mode ?? defaultInstallValues.mode,
      takeover: settings.takeover,
      projection: settings.projection ?? defaultInstallValues.projection,
      webhook: { ...defaultInstallValues.webhook, ...fill, ...(url === undefined ? {} : { url }) },
    },
    paths: new Set(handlers.keys()),
    segment: () => paths.current(),
  };
  return (signal) => leadRegistration(options, signal);
}

interface Running {
  readonly settings: OperatorSettings;
  readonly edges: OperatorEdges;
  readonly parts: Assembly;
  readonly certificates: Certificates;
  /** PEM: the authorities that API servers are to trust, where another program keeps the certificates and names them. */
  readonly authorities: string | undefined;
  readonly election: LeaseElection;
  readonly readiness: Readiness;
  readonly health: HealthServer;
  readonly stopping: AbortController;
}

function readinessOf({ view, owners, foreignWebhooks }: Assembly, certificates: Certificates): Readiness {
  return createReadiness(
    new Map([
      ['the view of the cluster', () => view.missing().length === 0],
      ['a current view of the cluster', () => view.staleness() === undefined],
      ['owners of pods', () => owners.synced()],
      ['webhook configurations', () => foreignWebhooks.synced],
      ['a certificate that API servers trust', () => certificates.ready()],
    ]),
  );
}

function begin({ parts, election }: Running): void {
  parts.enforcement.start(parts.admission);
  parts.guardState.start();
  parts.guard.start();
  parts.foreignWebhooks.start();
  parts.owners.start();
  parts.view.start();
  election.start();
}

async function serve(running: Running): Promise<WebhookServer> {
  const { settings, edges, parts, certificates } = running;
  const { context, handlers } = parts;
  const { clock, log, metrics, clients } = context;
  const { url, register = false } = settings.webhook;
  const callers = await callerRules(settings.webhook, parts, certificates, running.stopping.signal);
  const [username, webhook] = await Promise.all([
    askOwnName(clients.upkeep),
    edges.serve(certificates, {
      handlers,
      callers,
      clock,
      log,
      metrics: createWebhookMetrics(metrics),
    }),
  ]);
  if (webhook === undefined) throw new OperatorProblem('there is no certificate to serve');
  if (username !== undefined) parts.setOwnName(username);
  try {
    if (register && url !== undefined) await announce(running, url);
    return webhook;
  } catch (error) {
    // Nothing has been told to call it, and while it listens the process goes on.
    await webhook.close(0);
    throw error;
  }
}

/** Only when the webhooks are there to be called. */
async function announce(running: Running, url: string): Promise<void> {
  const { settings, parts, authorities, stopping } = running;
  const { clients, clock, random, log } = parts.context;
  const defaults = defaultInstallValues;
  const trust = authorities === undefined ? {} : { caBundle: authorities };
  const segment = await pathSegment(running);
  const registered = await registerWebhooks({
    client: clients.upkeep,
    clock,
    random,
    log,
    values: {
      ...defaults,
      namespace: settings.namespace,
      mode: settings.mode ?? 'enforce',
      webhook: { ...defaults.webhook, url, ...trust },
    },
    paths: new Set(parts.handlers.keys()),
    ...(segment === undefined ? {} : { segment }),
    signal: stopping.signal,
  });
  if (registered.kind === 'refused') throw new OperatorProblem(registered.problem);
}

/** A leader makes one within moments. Where none does, the bare path is registered, and replaced when there is one. */
const segmentWithinMs = 5_000;
const lookEveryMs = 50;

async function pathSegment({ parts, certificates, stopping }: Running): Promise<string | undefined> {
  const { clock } = parts.context;
  const endMs = clock.monotonic() + segmentWithinMs;
  while (certificates.paths.current() === undefined && clock.monotonic() < endMs) {
    if (!(await sleep(clock, lookEveryMs, stopping.signal))) break;
  }
  return certificates.paths.current();
}

/** Others should lead at once; the webhooks go last but for what they need to answer. */
async function stop(running: Running, webhook: WebhookServer | undefined): Promise<void> {
  const { settings, parts, certificates, election, readiness, health } = running;
  const { clock, log } = parts.context;
  running.stopping.abort();
  readiness.stop();
  await election.stop();
  if (webhook === undefined) await health.close();
  else {
    const { dropped } = await shutDown({
      readiness,
      webhook,
      health,
      clock,
      noticeMs: settings.noticeMs ?? 0,
      drainMs,
    });
    if (dropped > 0) log.warn('requests were cut off at shutdown', { dropped });
  }
  parts.enforcement.close();
  parts.guardState.close();
  await Promise.all([
    certificates.close(),
    parts.guard.close(),
    parts.foreignWebhooks.close(),
    parts.owners.close(),
    parts.view.close(),
    parts.recorder.stop(),
  ]);
  parts.connection.close();
}

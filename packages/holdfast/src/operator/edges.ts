import { targetOf } from '../kube/config/target-of.ts';
import type { ServerTarget } from '../kube/transport/target.ts';
import { type HealthServer, startHealthServer } from '../telemetry/health/health-server.ts';
import type { Readiness } from '../telemetry/health/readiness.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { WebhookServer, WebhookTerms } from './admission/wire/server.ts';
import type { Assembly } from './assembly.ts';
import type { Certificates } from './certificates/certificates.ts';
import { openCertificateFiles } from './certificates/files.ts';
import { webhookNames } from './certificates/names.ts';
import { startCertificates, startPaths } from './certificates/start.ts';
import { serveWebhooks } from './serving.ts';
import { type OperatorEnvironment, OperatorProblem, type OperatorSettings } from './settings.ts';

/** How an operator meets the world. Everything else about it is the same, whatever there is for a network. */
export interface OperatorEdges {
  readonly api: ServerTarget;
  certificates(parts: Assembly): Promise<OperatorCertificates>;
  showHealth(readiness: Readiness, metrics: Metrics): Promise<HealthServer>;
  /** Clients of the webhooks keep connections, of which this replica lets go while it is not ready. */
  readonly keepsConnections: boolean;
  /** Undefined: it was closed before there was a certificate. */
  serve(certificates: Certificates, terms: WebhookTerms): Promise<WebhookServer | undefined>;
}

export interface OperatorCertificates {
  readonly certificates: Certificates;
  /** PEM: the authorities that API servers are to trust, where another program keeps the certificates and names them. */
  readonly authorities: string | undefined;
}

/** Sockets, with TLS wherever an API server is at the other end. */
export function networkEdges(settings: OperatorSettings, { access, clock }: OperatorEnvironment): OperatorEdges {
  return {
    api: targetOf(access, clock),
    keepsConnections: true,
    certificates: (parts) => certificatesOf(settings, parts),
    showHealth(readiness, metrics) {
      const { host, port } = settings.health;
      return startHealthServer({ ...(host === undefined ? {} : { host }), port, readiness, metrics });
    },
    serve(certificates, terms) {
      const { host, port } = settings.webhook;
      return serveWebhooks(certificates, { ...terms, ...(host === undefined ? {} : { host }), port }, terms.log);
    },
  };
}

async function certificatesOf(
  settings: OperatorSettings,
  { context, traits }: Assembly,
): Promise<OperatorCertificates> {
  const names = webhookNames(settings.namespace, settings.webhook.url);
  if (settings.certificates === undefined) {
    return { certificates: startCertificates({ context, traits, names }), authorities: undefined };
  }
  const { clock, log, metrics } = context;
  const upkeep = startPaths({ context, traits, names });
  const opened = await openCertificateFiles({ directory: settings.certificates, names, clock, log, metrics, upkeep });
  if (opened.kind === 'unusable') {
    await upkeep.close();
    throw new OperatorProblem(opened.problem);
  }
  return { certificates: opened.certificates, authorities: opened.authorities };
}

import { createAuthenticator } from './auth/authenticate.ts';
import { createServiceAccountTokens } from './auth/tokens/service-account-tokens.ts';
import type { User } from './auth/user.ts';
import type { ControlPlane } from './control-plane.ts';
import { healthOf } from './health-checks.ts';
import type { FrontOptions } from './http/front.ts';
import { documentHandler } from './http/handlers/documents.ts';
import { ResourceHandler } from './http/handlers/resource-handler.ts';
import { specialHandlers } from './http/handlers/special-handlers.ts';
import { handlePath } from './http/paths.ts';
import { recordedVersion } from './kinds/recorded.ts';
import { createRequestMetrics } from './metrics.ts';
import { createExecHandler, createLogHandler } from './nodes/streams/streams.ts';
import type { Random } from './time/random.ts';

export interface FrontTerms {
  /** Of service account tokens. PEM. */
  readonly signingKey: string;
  /** Tokens that were handed out beforehand, and for whom. */
  readonly staticTokens: ReadonlyMap<string, User>;
  readonly random: Random;
  /** There are controllers, and not the API alone. */
  readonly acts: boolean;
  readonly ready: () => boolean;
  report(message: string, error: unknown): void;
}

/** What answers the requests of an API server, before it is known how they come in. */
export function frontOf(plane: ControlPlane, terms: FrontTerms): FrontOptions {
  const { registry, types, view, authorizer, flows } = plane;
  const { signingKey, staticTokens, random, acts, ready, report } = terms;
  const tokens = createServiceAccountTokens({ view, clock: registry.clock, random, signingKey });
  const authenticator = createAuthenticator({ staticTokens, serviceAccounts: tokens });
  const { components, checks } = healthOf({ store: registry.store, acts, ready });
  const readLog = createLogHandler(view);
  const special = specialHandlers({ registry, authenticator, authorizer, tokens, components, readLog });
  const resources = new ResourceHandler(registry, special);
  const metrics = createRequestMetrics(registry.store, types, () => flows.nominalSeats());
  let documents: ReturnType<typeof documentHandler> | undefined;
  const version = versionDocument();
  return {
    authenticator,
    authorizer,
    classify: (attributes) => flows.classify(attributes),
    handleResource: (exchange) => resources.handle(exchange),
    handlePath(request, info, query) {
      // The port is known only after the first connection.
      documents ??= documentHandler(types, `127.0.0.1:${request.socket.localPort}`);
      return handlePath({ version, checks, metrics: () => metrics.render(), documents }, request, info, query);
    },
    handleUpgrade: createExecHandler(registry),
    observe: metrics.observe,
    report,
  };
}

/** The Kubernetes whose API this is, and that it is not that Kubernetes. */
function versionDocument(): Record<string, string> {
  const { major, minor, gitVersion } = recordedVersion;
  return {
    major,
    minor,
    gitVersion: `${gitVersion}+holdfast`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${process.arch}`,
  };
}

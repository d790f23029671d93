import type { Logger } from '../telemetry/log.ts';
import type { CallerRules, ClientRules } from './admission/wire/call.ts';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './admission/wire/server.ts';
import { Tokens } from './admission/wire/tokens.ts';
import { unprovenCalls } from './admission/wire/unproven-calls.ts';
import type { Assembly } from './assembly.ts';
import type { Certificates } from './certificates/certificates.ts';
import { openClientAuthorities } from './certificates/client-authorities.ts';
import { OperatorProblem, type OperatorSettings } from './settings.ts';

/** Begins to serve as soon as there is a certificate, and goes over to every later one. Undefined: it was closed before. */
export async function serveWebhooks(
  certificates: Certificates,
  options: Omit<WebhookServerOptions, 'keyPair'>,
  log: Logger,
): Promise<WebhookServer | undefined> {
  const first = await certificates.first;
  if (first === undefined) return undefined;
  const server = await startWebhookServer({ ...options, keyPair: first });
  const rotate = (pair: typeof first) => {
    const rotated = server.rotate(pair);
    if (!rotated.ok) log.error('a certificate cannot be served', { problem: rotated.problem });
  };
  certificates.onChange(rotate);
  // One may have come while the server was being started.
  const current = certificates.current();
  if (current !== undefined && current !== first) rotate(current);
  return server;
}

/** What callers must show: always the path, and what the administrator made API servers show besides. */
export async function callerRules(
  { clients, bearer }: OperatorSettings['webhook'],
  { context, recorder }: Pick<Assembly, 'context' | 'recorder'>,
  { paths }: Pick<Certificates, 'paths'>,
  signal: AbortSignal,
): Promise<CallerRules> {
  const { clock, log, namespace } = context;
  const tokens = bearer && new Tokens({ client: context.clients.admission, clock, users: bearer });
  return {
    paths,
    ...(clients === undefined ? {} : { clients: await clientRules(clients, context, signal) }),
    ...(tokens === undefined ? {} : { isToken: (token) => tokens.isToken(token) }),
    onUnproven: unprovenCalls({ recorder, log, clock, namespace }),
  };
}

async function clientRules(
  { file, names }: NonNullable<OperatorSettings['webhook']['clients']>,
  { clock, log, metrics }: Assembly['context'],
  signal: AbortSignal,
): Promise<ClientRules> {
  const opened = await openClientAuthorities({ file, clock, log, metrics, signal });
  if (opened.kind === 'unusable') {
    throw new OperatorProblem(`the authority of client certificates cannot be used: ${opened.problem}`);
  }
  return { authorities: opened.authorities, names };
}

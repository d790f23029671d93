import type { Logger } from '../telemetry/log.ts';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './admission/server.ts';
import type { Certificates } from './certificates/certificates.ts';

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

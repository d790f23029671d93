import type { Access, ServeBytes } from './messages.ts';
import type { Part, Parts } from './parts.ts';

export interface RunningServer {
  readonly process: Part;
  readonly access: Access;
  readonly pki: ServeBytes['pki'];
}

/** The cluster under test; ready when this resolves. `api`: without controllers and nodes. */
export async function startServer(parts: Parts, kind: 'api' | 'controllers'): Promise<RunningServer> {
  const process = parts.start('server', kind);
  return { ...(await process.next<Omit<RunningServer, 'process'>>()), process };
}

import { Agent, get } from 'node:https';
import type { Access } from './messages.ts';

/** The bodies of some answers, by their paths. */
export async function download(access: Access, paths: readonly string[]): Promise<Map<string, Buffer>> {
  const { port, ca, certificate, key } = access;
  const agent = new Agent({ keepAlive: true, ca, cert: certificate, key });
  const bodies = new Map<string, Buffer>();
  for (const path of paths) {
    const body = await new Promise<Buffer>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks)));
        response.on('error', reject);
      }).on('error', reject);
    });
    bodies.set(path, body);
  }
  agent.destroy();
  return bodies;
}

import { createServer, get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { linkPair, linkTo } from '../../../src/cli/simulate/link.ts';
import { Agents } from '../../../src/kube/transport/http1.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a connection within the process', () => {
  it('carries bytes both ways, and their end', async () => {
    const [near, far] = linkPair();
    const heard: string[] = [];
    far.on('data', (chunk) => heard.push(`far ${chunk}`));
    near.on('data', (chunk) => heard.push(`near ${chunk}`));
    far.on('end', () => heard.push('far end'));
    near.write('a');
    far.write('b');
    await turn();
    near.end('c');
    await turn();
    expect(heard).toEqual(['far a', 'near b', 'far c', 'far end']);
    expect([near.destroyed, far.destroyed]).toEqual([true, true]);
  });

  it('waits for a reader that does not read', async () => {
    const [near, far] = linkPair();
    let done = 0;
    const chunk = Buffer.alloc(40_000);
    for (let count = 0; count < 4; count += 1) near.write(chunk, () => (done += 1));
    await turn();
    expect(done).toBeLessThan(4);
    far.resume();
    await turn();
    expect(done).toBe(4);
  });

  it('tells the other end when one is destroyed', async () => {
    const [near, far] = linkPair();
    far.resume();
    let closed = false;
    far.on('close', () => (closed = true));
    near.destroy();
    await turn();
    await turn();
    expect(closed).toBe(true);
  });

  it('serves HTTP, and is kept for the next request', async () => {
    let connections = 0;
    const server = createServer((request, response) => response.end(`you asked for ${request.url}`));
    const connect = () => {
      connections += 1;
      return linkTo((end) => server.emit('connection', end));
    };
    const noIdentity = { ca: undefined, certificate: undefined, key: undefined };
    const target = {
      server: new URL('http://simulation'),
      serverName: undefined,
      verify: false,
      identity: () => Promise.reject(new Error('not asked for')),
      forget: () => false,
      connect,
    };
    const agents = new Agents(target);
    const ask = (path: string) =>
      new Promise<string>((resolve) => {
        get({ host: 'simulation', path, agent: agents.for(noIdentity) }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += String(chunk);
          });
          response.on('end', () => resolve(text));
        });
      });
    expect(await ask('/a')).toBe('you asked for /a');
    expect(await ask('/b')).toBe('you asked for /b');
    expect(connections).toBe(1);
    agents.close();
  });
});

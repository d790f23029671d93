import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { probeHttp } from '../../../src/agent/probes/http.ts';
import type { HttpGet } from '../../../src/agent/probes/http-request.ts';
import { Lookups } from '../../../src/agent/probes/lookup.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { deadPort, listen, serve, serveRaw, serveTls } from '../support/http-server.ts';

const get: HttpGet = { kind: 'httpGet', path: '/', port: 80, scheme: 'HTTP', httpHeaders: [] };
const lookups = new Lookups();
const patient = { clock: realClock, timeoutMs: 10_000 };
const hurried = { clock: realClock, timeoutMs: 150 };

function ask(port: number, handler: Partial<HttpGet> = {}, terms = patient) {
  return probeHttp(terms, { handler: { ...get, ...handler }, host: '127.0.0.1', port, lookups });
}

function status(code: number, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => void response.writeHead(code, headers).end('secret');
}

describe('an HTTP probe', () => {
  const codes = [
    { code: 200, result: 'success' },
    { code: 204, result: 'success' },
    { code: 400, result: 'failure' },
    { code: 404, result: 'failure' },
    { code: 500, result: 'failure' },
    { code: 599, result: 'failure' },
  ];
  it.each(codes)('takes $code for a $result', async ({ code, result }) => {
    const { port } = await serve(status(code));
    expect(await ask(port)).toEqual({ result, output: `HTTP status ${code}` });
  });

  it('fails where nothing listens', async () => {
    expect(await ask(await deadPort())).toMatchObject({
      result: 'failure',
      output: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('asks over TLS without looking at the certificate', async () => {
    const { port } = await serveTls(status(200));
    expect(await ask(port, { scheme: 'HTTPS' })).toMatchObject({ result: 'success' });
    expect(await ask(port)).toMatchObject({ result: 'failure' });
  });

  it('sends the path, the query and the headers of the probe, and names itself', async () => {
    const seen: IncomingMessage[] = [];
    const { port } = await serve((request, response) => {
      seen.push(request);
      response.end();
    });
    const httpHeaders = [
      { name: 'Host', value: 'db.example.com' },
      { name: 'X-Token', value: 'a' },
      { name: 'x-token', value: 'b' },
    ];
    await ask(port, { path: '/a b?x=1&y=/2#part', httpHeaders });
    await ask(port, { path: '//other.example.com/x' });
    await ask(port, {
      path: 'bare',
      httpHeaders: [
        { name: 'User-Agent', value: 'me' },
        { name: 'Accept', value: '' },
      ],
    });
    const [first, second, third] = seen;
    expect(first?.url).toBe('/a%20b?x=1&y=/2');
    expect(first?.headers).toMatchObject({ host: 'db.example.com', 'x-token': 'a, b', accept: '*/*' });
    expect(first?.headers['user-agent']).toMatch(/^kube-probe\//);
    expect(second?.url).toBe('//other.example.com/x');
    expect(second?.headers.host).toBe(`127.0.0.1:${port}`);
    expect(third?.url).toBe('/bare');
    expect(third?.headers['user-agent']).toBe('me');
    expect(third?.headers['accept']).toBeUndefined();
  });

  it('fails on a header that cannot be sent, instead of throwing', async () => {
    const { port } = await serve(status(200));
    const result = await ask(port, { httpHeaders: [{ name: 'X', value: 'snowman ☃' }] });
    expect(result.result).toBe('failure');
  });

  it('asks an IPv6 address', async () => {
    const { port } = await listen(createServer(status(200)), '::1');
    expect(await probeHttp(patient, { handler: get, host: '::1', port, lookups })).toMatchObject({ result: 'success' });
  });

  describe('that takes too long ends, and leaves nothing open', () => {
    const stallers: readonly (readonly [string, RequestListener])[] = [
      ['with a server that says nothing', () => undefined],
      ['with a server that stalls after its headers', (_, response) => void response.writeHead(200).flushHeaders()],
      [
        'with a server that stalls within its body',
        (_, response) => void response.writeHead(200, { 'content-length': '10' }).write('12345'),
      ],
    ];
    it.each(stallers)('%s', async (_name, listener) => {
      const { port, open } = await serve(listener);
      const result = await ask(port, {}, hurried);
      expect(result).toEqual({ result: 'failure', output: 'no answer within 0.15 s' });
      await expect.poll(open).toBe(0);
    });

    it('with a server that drips its headers', async () => {
      const { port, open } = await serveRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      });
      expect(await ask(port, {}, hurried)).toMatchObject({ result: 'failure' });
      await expect.poll(open).toBe(0);
    });

    it('with a body that never ends, but only until enough of it came', async () => {
      const { port, open } = await serve((_, response) => {
        response.writeHead(200);
        const more = () => {
          if (!response.destroyed) response.write('x'.repeat(1_024), () => setTimeout(more, 1));
        };
        more();
      });
      expect(await ask(port)).toMatchObject({ result: 'success' });
      await expect.poll(open).toBe(0);
    });

    it('when the answer is no longer needed', async () => {
      const { port, open } = await serve(() => undefined);
      const stopping = new AbortController();
      const asking = ask(port, {}, { ...patient, signal: stopping.signal } as typeof patient);
      await expect.poll(open).toBe(1);
      stopping.abort();
      expect(await asking).toMatchObject({ result: 'unknown' });
      await expect.poll(open).toBe(0);
      expect(await ask(port, {}, { ...patient, signal: stopping.signal } as typeof patient)).toMatchObject({
        result: 'unknown',
      });
    });
  });

  const broken: readonly (readonly [string, string])[] = [
    ['nonsense instead of HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a body that breaks off', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12'],
    ['nothing at all', ''],
    ['headers that are far too long', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ];
  it.each(broken)('fails on %s', async (_name, text) => {
    const { port } = await serveRaw((socket) => {
      socket.once('data', () => socket.end(text));
    });
    expect(await ask(port)).toMatchObject({ result: 'failure' });
  });

  it('never shows a body, whatever comes of the probe', async () => {
    for (const code of [200, 500]) {
      const { port } = await serve(status(code));
      expect((await ask(port)).output).not.toContain('secret');
    }
  });
});

describe('a redirect', () => {
  const codes = [301, 302, 303, 307, 308];
  it.each(codes)('with %d on the same host is followed', async (code) => {
    const { port } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(code, { location: '/there?x=1' }).end();
      else response.writeHead(request.url === '/there?x=1' ? 200 : 500).end();
    });
    expect(await ask(port)).toEqual({ result: 'success', output: 'HTTP status 200' });
  });

  it('to another port and scheme of the same host is followed, without the Host header of the first', async () => {
    const hosts: (string | undefined)[] = [];
    const secure = await serveTls((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(404).end();
    });
    const { port } = await serve((_, response) => {
      response.writeHead(302, { location: `https://127.0.0.1:${secure.port}/` }).end();
    });
    const httpHeaders = [{ name: 'Host', value: 'db.example.com' }];
    expect(await ask(port, { httpHeaders })).toEqual({ result: 'failure', output: 'HTTP status 404' });
    expect(hosts).toEqual([`127.0.0.1:${secure.port}`]);
  });

  it('to another host is not followed, and counts as a success with a warning', async () => {
    const other = await serve(status(500));
    const { port } = await serve(status(302, { location: `http://127.0.0.2:${other.port}/` }));
    expect(await ask(port)).toEqual({
      result: 'success',
      warning: true,
      output: 'HTTP status 302: redirected to another host, 127.0.0.2, which is not called',
    });
  });

  it.each([302, 304, 399])('that says nowhere to go is a success with a warning, too: %d', async (code) => {
    const { port } = await serve(status(code));
    const output = `HTTP status ${code}: the redirect has no Location`;
    expect(await ask(port)).toEqual({ result: 'success', warning: true, output });
  });

  const bad = [
    { location: 'http://[nowhere', output: 'redirected to something that is not a URL' },
    { location: 'ftp://127.0.0.1/', output: 'redirected to the scheme ftp' },
  ];
  it.each(bad)('to $location fails', async ({ location, output }) => {
    const { port } = await serve(status(302, { location }));
    expect(await ask(port)).toEqual({ result: 'failure', output });
  });

  it('is followed only so often', async () => {
    let requests = 0;
    const { port } = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/' }).end();
    });
    expect(await ask(port)).toEqual({ result: 'failure', output: 'stopped after 10 redirects' });
    expect(requests).toBe(10);
  });

  it('does not make a probe last longer than its timeout', async () => {
    const { port, open } = await serve((_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60);
    });
    expect(await ask(port, {}, hurried)).toMatchObject({ output: 'no answer within 0.15 s' });
    await expect.poll(open).toBe(0);
  });
});

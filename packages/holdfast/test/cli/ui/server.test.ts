import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aPdb, aPod } from '../../../../../test/support/builders.ts';
import { Overview } from '../../../src/cli/ui/overview/overview.ts';
import { Publisher } from '../../../src/cli/ui/publisher.ts';
import { json, type Reply } from '../../../src/cli/ui/serve/answers.ts';
import { type RunningUiServer, startUiServer } from '../../../src/cli/ui/serve/ui-server.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { surroundings } from './around.ts';

/** What a hostile cluster may call its things, as far as an API server lets it, and further. */
const hostile = `<img src=x onerror=alert(1)>"';--\u2028\u0000</script>`;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-ui-'));
const page = join(folder, 'dashboard');
let server: RunningUiServer;
let publisher: Publisher;
const posted: unknown[] = [];

const api = {
  async get(path: readonly string[]): Promise<Reply | undefined> {
    if (path[0] === 'fails') throw new Error('a mistake');
    return path[0] === 'echo' ? json(path) : undefined;
  },
  async post(path: readonly string[], body: unknown): Promise<Reply | undefined> {
    posted.push(body);
    return path[0] === 'what-if' ? json({ taken: true }, 202) : undefined;
  },
};

beforeAll(async () => {
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>the page</title>');
  writeFileSync(join(page, 'assets', 'main.js'), 'export {}');
  writeFileSync(join(folder, 'secret.txt'), 'a secret of the user');
  const world = aWorld({
    pods: [aPod('web-0').labels({ app: 'web' }).on(hostile)],
    pdbs: [aPdb(hostile, { app: 'web' }, { minAvailable: 1 })],
  });
  const overview = new Overview({ world, nodes: () => undefined, confirmedAt: () => undefined });
  overview.podSeen(undefined, 0);
  publisher = new Publisher({
    overview,
    clock: realClock,
    around: () => surroundings({ remarks: [hostile] }),
    report: (error) => {
      throw error;
    },
  });
  publisher.publish();
  server = await startUiServer({ port: 0, publisher, clock: realClock, api, page });
});

afterAll(async () => {
  publisher.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(path: string, options: RequestOptions & { readonly body?: string } = {}): Promise<Got> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: server.port, path, agent: false, ...rest }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function cookie(): Promise<string> {
  const { status, headers } = await ask(new URL(server.address).pathname + new URL(server.address).search);
  expect(status).toBe(303);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function asPage(path: string, options: Parameters<typeof ask>[1] = {}): Promise<Got> {
  return ask(path, { ...options, headers: { cookie: await cookie(), ...(options.headers as object) } });
}

describe('the way in', () => {
  it('is a token that turns into a cookie which no script reads and no other site sends', async () => {
    const { status, headers, text } = await ask(`/?token=${server.token}`);
    expect({ status, location: headers.location, text }).toEqual({ status: 303, location: '/', text: '' });
    const [set = ''] = headers['set-cookie'] ?? [];
    expect(set).toMatch(new RegExp(`^holdfast-ui-${server.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    expect(set).not.toContain(server.token);
    expect((await asPage('/')).text).toContain('the page');
  });

  it.each([
    '/',
    '/assets/main.js',
    '/index.html',
    '/api/model',
    '/api/events',
    '/api/echo',
    '/?token=',
    '/?token=wrong',
  ])('is closed without it: %s', async (path) => {
    const { status, text, headers } = await ask(path);
    expect(status).toBe(401);
    expect(text).toContain('holdfast ui printed');
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['a wrong cookie', { cookie: `holdfast-ui-PORT=${'x'.repeat(43)}` }],
    ['the token as a cookie', { cookie: 'holdfast-ui-PORT=TOKEN' }],
    ['the cookie of a server on another port', { cookie: 'holdfast-ui-1=x' }],
    ['a wrong token', { authorization: 'Bearer wrong' }],
  ])('is closed to %s', async (_, headers) => {
    const real = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('PORT', String(server.port)).replace('TOKEN', server.token),
    ]);
    expect((await ask('/api/model', { headers: Object.fromEntries(real) })).status).toBe(401);
  });

  it('is open to programs with the token', async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    expect((await ask('/api/model', { headers })).status).toBe(200);
  });
});

describe('a request from elsewhere', () => {
  it.each([
    ['the name of another host, which resolves to this machine', { host: 'evil.example:PORT' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['no port', { host: 'localhost' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin, such as a file or a sandbox', { origin: 'null' }],
    ['another site, by what the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour on the same site', { 'sec-fetch-site': 'same-site' }],
  ])('by %s is refused, although it has the cookie', async (_, forged) => {
    const entries = Object.entries(forged).map(([name, value]) => [name, value.replace('PORT', String(server.port))]);
    for (const [path, method] of [
      ['/api/model', 'GET'],
      ['/', 'GET'],
      ['/api/what-if', 'POST'],
      [`/?token=${server.token}`, 'GET'],
    ] as const) {
      const headers = { ...Object.fromEntries(entries), 'content-type': 'application/json' };
      const { status, headers: answered } = await asPage(path, {
        method,
        headers,
        ...(method === 'POST' ? { body: '{}' } : {}),
      });
      expect([path, status]).toEqual([path, 403]);
      expect(answered['set-cookie']).toBeUndefined();
    }
    expect(posted).toEqual([]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('by the name %s of this machine is answered', async (name) => {
    const host = `${name}:${server.port}`;
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await asPage('/api/model', { headers })).status).toBe(200);
  });

  it('without any Host is refused', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('GET /api/model HTTP/1.0\r\n\r\n'));
      let all = '';
      socket.on('data', (chunk) => {
        all += String(chunk);
      });
      socket.on('end', () => resolve(all));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.[01] 40[03]/);
  });
});

describe('every answer', () => {
  it.each(['/', '/assets/main.js', '/api/model', '/api/nothing', '/nothing.js', '/api/fails'])(
    'forbids what could become a script, and is not kept: %s',
    async (path) => {
      const { headers } = await asPage(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|http:/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('has names of the cluster as they are, and as nothing but JSON', async () => {
    const { text, headers } = await asPage('/api/model');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const model = JSON.parse(text) as typeof publisher.model;
    expect(model.nodes[0]?.key).toBe(hostile);
    expect(model.budgets[0]?.name).toBe(hostile);
    expect(model.head.remarks).toEqual([hostile]);
  });

  it('has no more than the message of a mistake', async () => {
    const { status, text } = await asPage('/api/fails');
    expect([status, JSON.parse(text)]).toEqual([500, { problem: 'failed', message: 'a mistake' }]);
  });
});

describe('paths', () => {
  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//etc/passwd',
    '/assets/%00.js',
    '/.git/config.txt',
  ])('lead to no file but those of the page: %s', async (path) => {
    const { status, text } = await asPage(path);
    expect(text).not.toContain('a secret');
    expect(text).not.toContain('root:');
    if (status === 200) expect(text).toContain('the page');
    else expect(status).toBe(404);
  });

  it.each(['/%zz', 'http://127.0.0.1/api/model'])('that cannot be read are refused: %s', async (path) => {
    expect((await asPage(path)).status).toBe(400);
  });

  it('of the page itself have the page', async () => {
    expect((await asPage('/node/node-1')).text).toContain('the page');
  });

  it('have their segments decoded one by one', async () => {
    expect(JSON.parse((await asPage('/api/echo/a%2Fb/..%2F')).text)).toEqual(['echo', 'a/b', '../']);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('take no %s', async (method) => {
    expect((await asPage('/api/model', { method })).status).toBe(405);
    expect((await asPage('/', { method })).status).toBe(405);
  });
});

describe('the body of a question', () => {
  const post = (body: string, type = 'application/json') =>
    asPage('/api/what-if', { method: 'POST', body, headers: { 'content-type': type } });

  it('is JSON', async () => {
    posted.length = 0;
    expect((await post('{"what":1}')).status).toBe(202);
    expect(posted).toEqual([{ what: 1 }]);
    expect((await post('{')).status).toBe(400);
    // What a form of another site can send without asking.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      expect((await post('{}', type)).status).toBe(415);
    }
  });

  it('has a limit, whatever it says of its length', async () => {
    posted.length = 0;
    const huge = `"${'x'.repeat(1024 * 1024)}"`;
    const answer = await post(huge).catch((error: NodeJS.ErrnoException) => error.code);
    // The server may close while the client still sends.
    if (typeof answer === 'object') expect(answer.status).toBe(413);
    else expect(answer).toMatch(/EPIPE|ECONNRESET/);
    expect(posted).toEqual([]);
    expect((await asPage('/api/model')).status).toBe(200);
  });
});

describe('events', () => {
  it('begin with the whole model', async () => {
    const first = await new Promise<string>((resolve, reject) => {
      void cookie().then((value) => {
        const call = request(
          { host: '127.0.0.1', port: server.port, path: '/api/events', headers: { cookie: value } },
          (answer) => {
            expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
            let text = '';
            answer.on('data', (chunk) => {
              text += String(chunk);
              if (!text.includes('\n\n')) return;
              call.destroy();
              resolve(text);
            });
          },
        );
        call.on('error', reject);
        call.end();
      });
    });
    const [event, id, data = ''] = first.split('\n');
    expect([event, id]).toEqual(['event: snapshot', `id: ${publisher.model.head.revision}`]);
    expect(JSON.parse(data.slice('data: '.length))).toEqual(JSON.parse(JSON.stringify(publisher.model)));
  });
});

describe('a server without its page', () => {
  it('says how to build it, and answers programs', async () => {
    const without = await startUiServer({ port: 0, publisher, clock: realClock, api, page: join(folder, 'missing') });
    try {
      expect(without.pageMissing).toBe(true);
      const headers = { authorization: `Bearer ${without.token}` };
      const got = await fetch(`http://127.0.0.1:${without.port}/`, { headers });
      expect([got.status, await got.text()]).toEqual([503, expect.stringContaining('npm run build')]);
      expect((await fetch(`http://127.0.0.1:${without.port}/api/model`, { headers })).status).toBe(200);
    } finally {
      await without.close();
    }
  });
});

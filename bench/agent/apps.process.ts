// The applications in the pods, and a client that wants to evict these as soon as they say no.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../packages/embedded-cluster/src/time/clock.ts';
import { answerWith } from '../cluster/answering.ts';
import { Exchange } from '../webhook/exchange.ts';
import type { Endpoint } from '../webhook/messages.ts';
import { evictionReviewOf } from '../webhook/reviews.ts';
import { Tally } from '../webhook/tally.ts';
import type { Ports, Refused, ToApps } from './messages.ts';
import { addressOf, podName, podNamespace } from './pods.ts';

/** Few questions at a time, and not at once again: the operator shall be waited for, not be kept busy. */
const connections = 4;
const askAgainMs = 20;
const patienceMs = 60_000;

/** By address: told when the answer that says no is out. */
const refusing = new Map<string, () => void>();

function answer({ socket }: IncomingMessage, response: ServerResponse): void {
  const tell = refusing.get(socket.localAddress ?? '');
  response.writeHead(tell === undefined ? 200 : 503).end();
  if (tell !== undefined) response.once('finish', tell);
}

const { serverCertificate: cert, serverKey: key } = createPki({ clock: realClock }).material;
const ports: Ports = {
  httpGet: await listening(createServer(answer)),
  'httpGet with TLS': await listening(createHttpsServer({ cert, key }, answer)),
  tcpSocket: await listening(createServer(answer)),
  grpc: await listening(healthServer()),
};

answerWith<ToApps>((message) => {
  switch (message.do) {
    case 'ports':
      return ports;
    case 'refuse':
      return refuse(message);
    case 'agree':
      refusing.clear();
      return {};
  }
});

/** On every address of this machine: all pods are on it. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return (server.address() as AddressInfo).port;
}

/** Always SERVING. */
function healthServer(): Server {
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]));
  });
  return server;
}

async function refuse({ pods, webhook }: Extract<ToApps, { do: 'refuse' }>): Promise<Refused> {
  const evictor = await Evictor.open(webhook);
  try {
    for (const pod of pods) {
      if (!(await evictor.isAllowed(pod))) throw new Error(`pod ${pod} cannot be evicted before it says no`);
    }
    return { ms: await Promise.all(pods.map((pod) => refused(pod, evictor))) };
  } finally {
    evictor.close();
  }
}

async function refused(pod: number, evictor: Evictor): Promise<number> {
  await new Promise<void>((resolve) => {
    const first = () => resolve();
    refusing.set(addressOf(pod), first);
  });
  const begun = performance.now();
  while (await evictor.isAllowed(pod)) {
    if (performance.now() - begun > patienceMs) throw new Error(`pod ${pod} can still be evicted`);
    await setTimeout(askAgainMs);
  }
  return performance.now() - begun;
}

/** Asks the webhook for evictions, as an API server would. */
class Evictor {
  readonly #idle: Exchange[];
  readonly #all: readonly Exchange[];
  readonly #waiting: ((exchange: Exchange) => void)[] = [];

  private constructor(exchanges: readonly Exchange[]) {
    this.#all = exchanges;
    this.#idle = [...exchanges];
  }

  static async open(webhook: Endpoint): Promise<Evictor> {
    return new Evictor(await Promise.all(Array.from({ length: connections }, () => Exchange.open(webhook))));
  }

  /** Nothing comes of asking. */
  async isAllowed(pod: number): Promise<boolean> {
    const { bytes } = evictionReviewOf({ number: pod, namespace: podNamespace, name: podName(pod) }, true);
    const exchange = this.#idle.pop() ?? (await new Promise<Exchange>((resolve) => this.#waiting.push(resolve)));
    const said = await exchange.send(Buffer.from(bytes, 'base64'));
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(exchange);
    else next(exchange);
    if (said.code !== 200) throw new Error(`the webhook answered with ${said.code}`);
    return Tally.isAllowed(said);
  }

  close(): void {
    for (const exchange of this.#all) exchange.close();
  }
}

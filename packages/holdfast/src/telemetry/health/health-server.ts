import { createServer, type ServerResponse } from 'node:http';
import type { Metrics } from '../metrics.ts';
import { listenOn } from './listen.ts';
import type { Readiness } from './readiness.ts';

export interface HealthServerOptions {
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const slowMs = 10_000;
const maxConnections = 200;

interface Page {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/** Plain HTTP for the kubelet and Prometheus, apart from all else that is served, so that it can tell when that is going. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer({ headersTimeout: slowMs, requestTimeout: slowMs, keepAliveTimeout: slowMs });
  server.maxConnections = maxConnections;
  server.on('request', (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '/';
    const readable = request.method === 'GET' || request.method === 'HEAD';
    if (!readable) response.setHeader('allow', 'GET, HEAD');
    const page = readable ? pageAt(path, options) : Promise.resolve(plain(405, 'only GET and HEAD'));
    void page.catch(() => plain(500, 'the page could not be made')).then((made) => send(response, made));
  });
  const port = await listenOn(server, options.port, options.host);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pageAt(path: string, options: HealthServerOptions): Promise<Page> {
  switch (path) {
    case '/healthz':
      return plain(200, 'ok');
    case '/readyz': {
      const missing = options.readiness.missing();
      return missing.length === 0 ? plain(200, 'ok') : plain(503, `not ready: ${missing.join(', ')}`);
    }
    case '/metrics':
      return { code: 200, type: options.metrics.contentType, text: await options.metrics.render() };
    default:
      return plain(404, 'there are /healthz, /readyz and /metrics');
  }
}

function plain(code: number, text: string): Page {
  return { code, type: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function send(response: ServerResponse, { code, type, text }: Page): void {
  response.writeHead(code, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

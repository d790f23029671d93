import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../kube/time/clock.ts';
import type { ModelSource } from '../publisher.ts';
import { admit, type Credentials, cookieFor, foreignness, isToken, type Secrets } from './access-rules.ts';
import { json, problem, type Reply, send, text } from './answers.ts';
import { readJson } from './body.ts';
import { EventStream } from './event-stream.ts';
import { pageMissing, StaticFiles } from './static-files.ts';

/** Answers what is below /api/, without the model and its events. */
export interface DetailApi {
  /** Undefined: there is no such path. */
  get(path: readonly string[]): Promise<Reply | undefined>;
  post(path: readonly string[], body: unknown): Promise<Reply | undefined>;
}

export interface UiServerTerms {
  readonly port: number;
  readonly publisher: ModelSource;
  readonly clock: Clock;
  readonly api: DetailApi;
  /** Where the built page is; undefined: only the JSON API is served. */
  readonly page: string | undefined;
}

export interface RunningUiServer {
  readonly port: number;
  /** To be opened once: it turns into a cookie. */
  readonly address: string;
  /** For programs, as a bearer token. */
  readonly token: string;
  /** The page was not built. */
  readonly pageMissing: boolean;
  close(): Promise<void>;
}

/** More pages than a person opens. */
const maxStreams = 32;
const maxConnections = 256;
/** For a whole request; a stream of events ends with its page. */
const requestMs = 30_000;
const host = '127.0.0.1';

export async function startUiServer(terms: UiServerTerms): Promise<RunningUiServer> {
  const secrets = { token: secret(), session: secret() };
  const files = terms.page === undefined ? undefined : new StaticFiles(terms.page);
  const handler = new UiHandler(terms, secrets, files);
  const server = createServer({ requestTimeout: requestMs, headersTimeout: 10_000, maxHeaderSize: 16_384 });
  server.maxConnections = maxConnections;
  server.on('request', (request, response) => void handler.handle(request, response));
  server.on('clientError', (_error, socket) => socket.destroy());
  const port = await listen(server, terms.port);
  handler.port = port;
  return {
    port,
    address: `http://${host}:${port}/?token=${secrets.token}`,
    token: secrets.token,
    pageMissing: files?.isEmpty === true,
    async close() {
      handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

class UiHandler {
  /** Known when it listens. */
  port = 0;
  readonly #terms: UiServerTerms;
  readonly #secrets: Secrets;
  readonly #files: StaticFiles | undefined;
  readonly #streams = new Set<EventStream>();

  constructor(terms: UiServerTerms, secrets: Secrets, files: StaticFiles | undefined) {
    this.#terms = terms;
    this.#secrets = secrets;
    this.#files = files;
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page that goes away in the middle is no reason to end.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    try {
      const reply = await this.#reply(request, response);
      if (reply !== undefined) send(response, reply, request.method === 'HEAD');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else send(response, problem('failed', message));
    }
  }

  /** Undefined: it is answered as events. */
  async #reply(request: IncomingMessage, response: ServerResponse): Promise<Reply | undefined> {
    const asked = urlOf(request);
    if (asked === undefined) return problem('badRequest', 'the path of the request cannot be read');
    const { path, query, segments } = asked;
    const credentials = credentialsOf(request);
    const foreign = foreignness(credentials, this.port);
    if (foreign !== undefined) return problem('foreign', foreign);
    if (path === '/' && query.has('token')) return this.#enter(query.get('token') ?? undefined);
    if (admit(credentials, this.port, this.#secrets).kind !== 'admitted') return this.#unknown(segments);
    if (segments[0] !== 'api') return this.#file(request, path);
    return this.#api(request, response, segments.slice(1));
  }

  /** The token leaves the address bar at once. */
  #enter(token: string | undefined): Reply {
    if (!isToken(token, this.#secrets)) return text(401, unknownText);
    return { ...text(303, ''), headers: { location: '/', 'set-cookie': cookieFor(this.port, this.#secrets) } };
  }

  #unknown([first]: readonly string[]): Reply {
    return first === 'api' ? problem('unauthorized', 'no valid cookie or token', unknownText) : text(401, unknownText);
  }

  #file({ method }: IncomingMessage, path: string): Reply {
    if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD');
    if (this.#files === undefined) return text(404, 'Only the JSON API is served here, below /api/.\n');
    if (this.#files.isEmpty) return text(503, pageMissing);
    return this.#files.find(path) ?? text(404, 'There is no such file.\n');
  }

  async #api(request: IncomingMessage, response: ServerResponse, path: readonly string[]): Promise<Reply | undefined> {
    const { method } = request;
    if (method === 'POST') return this.#post(request, path);
    if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD, POST');
    const { publisher, clock, api } = this.#terms;
    const [first] = path;
    if (path.length === 1 && first === 'model') return json(publisher.model);
    if (path.length === 1 && first === 'events' && method === 'GET') {
      if (this.#streams.size >= maxStreams) return problem('busy', `${maxStreams} pages are open already`);
      const stream = new EventStream(response, publisher, clock);
      this.#streams.add(stream);
      response.on('close', () => {
        this.#streams.delete(stream);
        stream.close();
      });
      return undefined;
    }
    return (await api.get(path)) ?? notFound;
  }

  async #post(request: IncomingMessage, path: readonly string[]): Promise<Reply> {
    const body = await readJson(request);
    if (!body.ok) return body.reply;
    return (await this.#terms.api.post(path, body.value)) ?? notFound;
  }
}

const notFound = problem('notFound', 'there is nothing at this path');
const unknownText = 'Open the address that holdfast ui printed: it has a token, which this request lacks.\n';

function notAllowed(methods: string): Reply {
  return { ...problem('notAllowed', `only ${methods} here`), headers: { allow: methods } };
}

function credentialsOf({ headers }: IncomingMessage): Credentials {
  const { host: name, origin, cookie, authorization } = headers;
  const site = headers['sec-fetch-site'];
  return { host: name, origin, cookie, authorization, site: typeof site === 'string' ? site : undefined };
}

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Decoded one by one: a name may contain an encoded slash, and is then no name of anything. */
  readonly segments: readonly string[];
}

function urlOf({ url = '/' }: IncomingMessage): Asked | undefined {
  // Node hands on what a client sent: also an absolute URL, which is for proxies.
  if (!url.startsWith('/')) return undefined;
  const [path = '/', search = ''] = url.split('?', 2);
  try {
    const segments = path.split('/').filter((one) => one !== '');
    return {
      path: decodeURIComponent(path),
      query: new URLSearchParams(search),
      segments: segments.map(decodeURIComponent),
    };
  } catch {
    return undefined;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type Authenticator, certificateUser } from '../auth/authenticate.ts';
import { forbiddenError } from '../auth/forbidden-error.ts';
import { impersonate } from '../auth/impersonation.ts';
import { readImpersonation } from '../auth/impersonation-headers.ts';
import type { Attributes, Authorizer, User } from '../auth/user.ts';
import { ApiError, noSuchPath, unauthorized } from '../errors.ts';
import type { Classification } from '../flowcontrol/flow-control.ts';
import { discardBody } from './discard.ts';
import type { Answer, Exchange } from './exchange.ts';
import { formatOf } from './negotiate.ts';
import { flowHeaders, type Notes, newNotes } from './notes.ts';
import { errorReply, type Reply, send } from './reply.ts';
import { type PathRequest, type RequestInfo, requestInfo } from './request-info.ts';
import { checkTimeout } from './request-timeout.ts';

export interface FrontOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** To which flow a request belongs. */
  classify(attributes: Attributes): Classification | undefined;
  handleResource(exchange: Exchange): Promise<Answer>;
  handlePath(request: IncomingMessage, info: PathRequest, query: URLSearchParams): Promise<Reply | undefined>;
  /** A request for a WebSocket, after it is known who asks and that they may. */
  handleUpgrade(exchange: Omit<Exchange, 'response'>, socket: Duplex, head: Buffer): Promise<void>;
  observe(observation: Observation): void;
  /** Mistakes of our own: what the client is not told. */
  report(message: string, error: unknown): void;
}

export interface Observation {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly code: number;
  readonly seconds: number;
}

/** Paths that say nothing about the cluster's content are open to every authenticated user. */
const alwaysOpen = new Set(['/healthz', '/livez', '/readyz', '/version']);

const impersonationHeader = /^impersonate-/i;

/** Answers requests, wherever they come from: who asks, whether they may, and who is to answer. */
export class ApiFront {
  readonly #options: FrontOptions;
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  /** Part of an answer is out, so that no other can be given on this connection. */
  isAnswering(socket: Duplex): boolean {
    const response = this.#responses.get(socket);
    return response?.headersSent === true && !response.writableFinished;
  }

  async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    this.#responses.set(socket, response);
    const started = performance.now();
    const notes = newNotes();
    const url = parseUrl(request);
    const info = requestInfo(request.method ?? 'GET', url.path, url.query);
    try {
      const answer = await this.#answer(request, response, info, url.query, notes);
      // A stream may say nothing for a long time; who writes to it looks after readers that do not read.
      if (answer === 'streaming') socket.setTimeout(0);
      else send(response, answer, notes, formatOf(request.headers.accept));
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.report(`${request.method} ${url.path}`, error);
      await this.#fail(request, response, error, notes);
    }
    this.#observe(info, response.statusCode, started);
  }

  async #fail(request: IncomingMessage, response: ServerResponse, error: unknown, notes: Notes): Promise<void> {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (!(await discardBody(request))) response.setHeader('connection', 'close');
    send(response, errorReply(error), notes, formatOf(request.headers.accept));
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    info: RequestInfo,
    query: URLSearchParams,
    notes: Notes,
  ): Promise<Answer> {
    checkTimeout(info, query);
    const user = this.#admit(request, info, notes);
    const { warnings, flow } = notes;
    // The head of a stream is written by the handler that goes on with it.
    if (info.verb === 'watch') for (const [name, value] of Object.entries(flow)) response.setHeader(name, value);
    if (info.kind === 'resource')
      return this.#options.handleResource({ request, response, query, info, user, warnings });
    const reply = await this.#options.handlePath(request, info, query);
    if (!reply) throw noSuchPath();
    return reply;
  }

  /** Who asks, and whether they may. */
  #admit(request: IncomingMessage, info: RequestInfo, notes: Notes): User {
    const { authenticator, authorizer } = this.#options;
    const user = authenticator.authenticate({
      certificate: certificateUser(request.socket as TLSSocket),
      authorization: request.headers.authorization,
    });
    if (!user) throw unauthorized();
    const acting = this.#acting(user, request, info);
    const attributes = attributesOf(acting, info);
    notes.flow = flowHeaders(this.#options.classify(attributes));
    if (info.kind === 'path' && alwaysOpen.has(info.path)) return acting;
    const decision = authorizer.decide(attributes);
    if (!decision.allowed) throw forbiddenError(attributes, decision.reason);
    return acting;
  }

  #acting(user: User, request: IncomingMessage, info: RequestInfo): User {
    if (!request.rawHeaders.some((name) => impersonationHeader.test(name))) return user;
    const wanted = readImpersonation(request.headersDistinct);
    if (!wanted) return user;
    const outcome = impersonate(wanted, attributesOf(user, info), this.#options.authorizer);
    if (!outcome.allowed) throw outcome.error;
    return outcome.user;
  }

  async onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = parseUrl(request);
    const info = requestInfo(request.method ?? 'GET', url.path, url.query);
    socket.on('error', () => undefined);
    request.socket.setTimeout(0);
    try {
      const notes = newNotes();
      const user = this.#admit(request, info, notes);
      if (info.kind !== 'resource') throw noSuchPath();
      await this.#options.handleUpgrade(
        { request, query: url.query, info, user, warnings: notes.warnings },
        socket,
        head,
      );
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.report(`upgrade ${url.path}`, error);
      refuseUpgrade(socket as Socket, errorReply(error));
    }
  }

  #observe(info: RequestInfo, code: number, started: number): void {
    const seconds = (performance.now() - started) / 1000;
    if (info.kind === 'resource') {
      this.#options.observe({ verb: info.verb, resource: info.resource, subresource: info.subresource, code, seconds });
    } else {
      this.#options.observe({ verb: info.verb, resource: '', subresource: '', code, seconds });
    }
  }
}

function refuseUpgrade(socket: Socket, reply: Reply): void {
  if (socket.destroyed) return;
  const body = JSON.stringify(reply.body);
  socket.end(
    `HTTP/1.1 ${reply.code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function parseUrl(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const raw = request.url ?? '/';
  const mark = raw.indexOf('?');
  return mark < 0
    ? { path: raw, query: new URLSearchParams() }
    : { path: raw.slice(0, mark), query: new URLSearchParams(raw.slice(mark + 1)) };
}

function attributesOf(user: User, info: RequestInfo): Attributes {
  if (info.kind === 'path') return { user, verb: info.verb, path: info.path };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return { user, verb, group, version, resource, subresource, namespace, name };
}

import { type ClientRequest, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Agents, addressOf } from './agents.ts';
import { failedAttempt, headersOf, pathBelow, type Sent } from './attempt.ts';
import type { Identity, Target } from './target.ts';
import type { Timebox } from './timebox.ts';
import { connectionFailure, credentialsFailure, endFailure, type WireRequest } from './wire.ts';

/**
 * Node.js takes its own listener off a socket when an answer has ended, and the agent puts another one on a moment later. A request that
 * is aborted in between destroys the socket with an error that nothing listens to, which would end the process. The request itself
 * reports its errors elsewhere.
 */
const ignoreError = () => undefined;

/** Requests over HTTP/1.1, on connections that are kept. */
export class Http1 {
  readonly #target: Target;
  readonly #userAgent: string;
  readonly #agents: Agents;

  constructor(target: Target, userAgent: string) {
    this.#target = target;
    this.#userAgent = userAgent;
    this.#agents = new Agents(target);
  }

  /** Connections that exist may be dead, without having been closed: those that are idle are not used again. */
  dropIdle(): void {
    this.#agents.dropIdle();
  }

  close(): void {
    this.#agents.close();
  }

  send(request: WireRequest, identity: Identity, timebox: Timebox): Promise<Sent> {
    return new Promise((resolve) => {
      const sending = this.#begin(request, identity);
      if (sending instanceof Error) return resolve(failedAttempt(credentialsFailure(sending)));
      let connected = false;
      sending.on('socket', (socket) => {
        if (!socket.listeners('error').includes(ignoreError)) socket.on('error', ignoreError);
        if (!socket.connecting) connected = true;
        else
          socket.once(this.#target.server.protocol === 'http:' ? 'connect' : 'secureConnect', () => (connected = true));
      });
      sending.on('response', (body) => {
        // Whoever reads it sees the error, too; but nobody may be reading when it comes.
        body.on('error', () => {});
        resolve({ kind: 'answered', code: body.statusCode ?? 0, headers: body.headers, body });
      });
      sending.on('error', (error) => {
        if (timebox.ended !== undefined) {
          // A kept connection that gives no answer may be one of many that a network lost at the same moment.
          if (timebox.ended === 'deadline' && sending.reusedSocket) this.dropIdle();
          return resolve(failedAttempt(endFailure(timebox, connected, request)));
        }
        const failure = connectionFailure(error, connected, request);
        // A kept connection may have been closed by the other side meanwhile. Only what changes nothing is sent twice.
        resolve({ kind: 'failed', failure, stale: sending.reusedSocket && request.method === 'GET' });
      });
      timebox.onEnd(() => sending.destroy(new Error(timebox.ended)));
      sending.end(request.body);
    });
  }

  /** A certificate that cannot be read, or a header that cannot be sent, shows here. */
  #begin(request: WireRequest, identity: Identity): ClientRequest | Error {
    try {
      return this.#request(request, identity);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #request(request: WireRequest, identity: Identity): ClientRequest {
    const { server } = this.#target;
    const options = {
      ...addressOf(server),
      method: request.method,
      path: pathBelow(server, request.path),
      headers: headersOf(request, identity, this.#userAgent) as OutgoingHttpHeaders,
      agent: this.#agents.for(identity.tls),
    };
    return server.protocol === 'http:' ? httpRequest(options) : httpsRequest(options);
  }
}

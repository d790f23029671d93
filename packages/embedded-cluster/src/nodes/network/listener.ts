import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../time/clock.ts';
import { type Asked, type ProbeMode, slowAnswerMs } from '../annotations.ts';
import type { Protocol } from '../probes/pod-probes.ts';
import { answerCheck, answerUnimplemented, healthCheckPath } from './grpc-health.ts';

export interface ListenerOptions {
  readonly protocol: Protocol;
  readonly host: string;
  /** 0: any free one. */
  readonly bindPort: number;
  /** The pod's port, which answers may depend on. */
  readonly port: number;
  readonly clock: Clock;
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
  mode(asked: Asked): ProbeMode;
}

export interface Listener {
  readonly port: number;
  close(): void;
}

/** Connections to one listener at the same time. */
const maxConnections = 64;

/** Opens one port of a pod. Rejects with the system's error where that cannot be done. */
export function openListener(options: ListenerOptions): Promise<Listener> {
  const server = serverFor(options);
  const sockets = new Set<Socket>();
  server.maxConnections = maxConnections;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // Keeps neither the process alive nor a listener that is closed.
    socket.unref();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.bindPort, options.host, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      server.unref();
      resolve({
        port: (server.address() as AddressInfo).port,
        close() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}

function serverFor(options: ListenerOptions): Server {
  switch (options.protocol) {
    case 'http':
      return createHttpServer(httpAnswers(options));
    case 'https': {
      if (!options.certificate) throw new Error('there is no certificate for HTTPS listeners');
      const { certificate, key } = options.certificate;
      return createHttpsServer({ cert: certificate, key }, httpAnswers(options));
    }
    case 'grpc':
      return createHttp2Server().on('stream', (stream, headers) =>
        answerGrpc(stream, String(headers[':path']), options),
      ) as Server;
    case 'tcp':
      // To be connected to is all that a TCP probe wants; a port that is to fail is closed instead.
      return createTcpServer((socket) => socket.resume());
  }
}

function later(mode: ProbeMode, clock: Clock, answer: () => void): void {
  if (mode === 'slow') clock.after(slowAnswerMs, answer);
  else answer();
}

function httpAnswers({ clock, port, mode }: ListenerOptions): RequestListener {
  return (request, response) => {
    request.resume();
    const answer = mode({ port, path: request.url ?? '/' });
    later(answer, clock, () => {
      response.writeHead(answer === 'fail' ? 500 : 200, { 'content-type': 'text/plain' });
      response.end(answer === 'fail' ? 'failed\n' : 'ok\n');
    });
  };
}

function answerGrpc(stream: ServerHttp2Stream, path: string, { clock, port, mode }: ListenerOptions): void {
  stream.on('error', () => undefined);
  stream.resume();
  if (path !== healthCheckPath) {
    answerUnimplemented(stream);
    return;
  }
  const answer = mode({ port });
  later(answer, clock, () => {
    if (!stream.destroyed) answerCheck(stream, answer !== 'fail');
  });
}

/** Probes over real sockets, with the texts that a kubelet has for what goes wrong. */

import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { ProbeHandler } from '@holdfast/base/probes/probe-handler';
import type { Clock } from '../../time/clock.ts';
import { checkRequest, healthCheckPath, readCheck, serving, servingNames } from '../network/grpc-health.ts';
import { kubeletVersion } from '../node-status.ts';
import type { ProbeOutcome } from './probe-outcome.ts';

export interface SocketProbe {
  readonly handler: Exclude<ProbeHandler, { kind: 'exec' }>;
  readonly host: string;
  readonly port: number;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
}

/** A probe under way: it settles once, in time or not, and leaves nothing open. */
interface Attempt {
  pass(): void;
  fail(output: string): void;
  onEnd(close: () => void): void;
}

export function askSocket(probe: SocketProbe): Promise<ProbeOutcome> {
  const { handler } = probe;
  switch (handler.kind) {
    case 'httpGet':
      return attempt(probe, httpTimeout(probe, handler), (to) => askHttp(probe, handler, to));
    case 'tcpSocket':
      return attempt(probe, `dial tcp ${addressOf(probe)}: i/o timeout`, (to) => askTcp(probe, to));
    case 'grpc': {
      const { service } = handler;
      const within = `within ${probe.timeoutSeconds}s`;
      return attempt(probe, `timeout: health rpc did not complete ${within}`, (to) => askGrpc(probe, service, to));
    }
  }
}

function attempt(probe: SocketProbe, late: string, begin: (to: Attempt) => void): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    let close: () => void = () => undefined;
    const settle = (outcome: ProbeOutcome) => {
      timer.cancel();
      resolve(outcome);
      close();
    };
    const timer = probe.clock.after(probe.timeoutSeconds * 1000, () => settle({ ok: false, output: late }));
    begin({
      pass: () => settle({ ok: true }),
      fail: (output) => settle({ ok: false, output }),
      onEnd(callback) {
        close = callback;
      },
    });
  });
}

function addressOf({ host, port }: SocketProbe): string {
  return `${host}:${port}`;
}

/** As Go words it. */
function dialError(probe: SocketProbe, error: NodeJS.ErrnoException): string {
  const why =
    { ECONNREFUSED: 'connect: connection refused', ECONNRESET: 'read: connection reset by peer' }[error.code ?? ''] ??
    error.message;
  return `dial tcp ${addressOf(probe)}: ${why}`;
}

type HttpGet = Extract<ProbeHandler, { kind: 'httpGet' }>;

function urlOf(probe: SocketProbe, { scheme, path }: HttpGet): string {
  return `${scheme.toLowerCase()}://${addressOf(probe)}${path.startsWith('/') ? path : `/${path}`}`;
}

function httpTimeout(probe: SocketProbe, handler: HttpGet): string {
  return `Get "${urlOf(probe, handler)}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
}

function headersOf(handler: HttpGet): OutgoingHttpHeaders {
  const headers: Record<string, string[]> = {};
  for (const { name, value } of handler.httpHeaders) {
    const key = name.toLowerCase();
    const known = Object.hasOwn(headers, key) ? (headers[key] ?? []) : [];
    headers[key] = [...known, value];
  }
  const version = kubeletVersion.replace(/^v([0-9]+\.[0-9]+).*$/, '$1');
  const own = { 'user-agent': [`kube-probe/${version}`], accept: ['*/*'], ...headers };
  // Node takes a list for most headers, but only one host.
  return Object.fromEntries(
    Object.entries(own).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

function askHttp(probe: SocketProbe, handler: HttpGet, to: Attempt): void {
  const isTls = handler.scheme === 'HTTPS';
  const send = isTls ? httpsRequest : httpRequest;
  const request = send(urlOf(probe, handler), {
    agent: false,
    headers: headersOf(handler),
    ...(isTls ? { rejectUnauthorized: false } : {}),
  });
  to.onEnd(() => request.destroy());
  request.on('response', (response) => {
    const code = response.statusCode ?? 0;
    if (code >= 200 && code < 400) to.pass();
    else to.fail(`HTTP probe failed with statuscode: ${code}`);
  });
  request.on('error', (error) => to.fail(`Get "${urlOf(probe, handler)}": ${dialError(probe, error)}`));
  request.end();
}

function askTcp(probe: SocketProbe, to: Attempt): void {
  const socket = connect({ host: probe.host, port: probe.port });
  to.onEnd(() => socket.destroy());
  socket.on('connect', () => to.pass());
  socket.on('error', (error) => to.fail(dialError(probe, error)));
}

function askGrpc(probe: SocketProbe, service: string, to: Attempt): void {
  const session = connectHttp2(`http://${addressOf(probe)}`);
  to.onEnd(() => session.destroy());
  const unreachable = `timeout: failed to connect service "${addressOf(probe)}" within ${probe.timeoutSeconds}s: context deadline exceeded`;
  session.on('error', () => to.fail(unreachable));
  const stream = session.request({
    ':method': 'POST',
    ':path': healthCheckPath,
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': `kube-probe/${kubeletVersion}`,
  });
  stream.end(checkRequest(service));
  readCheck(stream).then(
    (answer) => {
      if (answer.kind === 'error')
        to.fail(`error: health rpc failed: rpc error: code = ${answer.code} desc = ${answer.message}`);
      else if (answer.status === serving.serving) to.pass();
      else to.fail(`service unhealthy (responded with "${servingNames[answer.status] ?? answer.status}")`);
    },
    () => to.fail(unreachable),
  );
}

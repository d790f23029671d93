import { isObject } from '@holdfast/base/json';
import { type RawData, WebSocket } from 'ws';
import { objectPath } from '../../kube/client/client.ts';
import type { ClientIdentity, ServerTarget } from '../../kube/transport/target.ts';
import { type AttemptTerms, attempt, type ProbeAttempt } from './attempt.ts';
import { errorText, type ProbeResult, probeFailed, probeSucceeded, unknown } from './probe-result.ts';

export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

const protocol = 'v5.channel.k8s.io';
const channel = { stdout: 1, stderr: 2, status: 3 } as const;
const pods = { group: '', version: 'v1', plural: 'pods', namespaced: true } as const;

/** Of one message; what a command prints comes in messages of a few KiB. */
const maxMessageBytes = 64 * 1024;
const maxKeptBytes = 10 * 1024;

/**
 * Runs a command in a container by way of the API server. A command that takes too long counts as failed, and may run on: there is
 * no way to end it from here.
 */
export function probeExec(terms: AttemptTerms, api: ServerTarget, target: ExecTarget): Promise<ProbeResult> {
  return attempt(terms, (to) => {
    let over = false;
    to.onEnd(() => {
      over = true;
    });
    void begin(to, api, target, () => over);
  });
}

async function begin(to: ProbeAttempt, api: ServerTarget, target: ExecTarget, isOver: () => boolean): Promise<void> {
  try {
    const identity = await api.identity();
    const url = urlOf(api.server, target);
    if (url === undefined) to.settle(unknown('there can be no pod of that name'));
    else if (!isOver()) listen(to, open(to, api, identity, url), api);
  } catch (error) {
    to.settle(unknown(errorText(error)));
  }
}

function open(to: ProbeAttempt, api: ServerTarget, { tls, headers }: ClientIdentity, url: URL): WebSocket {
  const socket = new WebSocket(url, [protocol], {
    // Node sends a list as several headers.
    headers: headers as Record<string, string>,
    rejectUnauthorized: api.verify,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.certificate === undefined || tls.key === undefined ? {} : { cert: tls.certificate, key: tls.key }),
    ...(api.serverName === undefined ? {} : { servername: api.serverName }),
  });
  to.onEnd(() => socket.terminate());
  return socket;
}

function urlOf(server: URL, { namespace, pod, container, command }: ExecTarget): URL | undefined {
  const path = objectPath(pods, { namespace, name: pod, subresource: 'exec' });
  if (path === undefined) return undefined;
  const url = new URL(server);
  url.protocol = server.protocol === 'http:' ? 'ws:' : 'wss:';
  url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
  const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
  for (const word of command) query.append('command', word);
  url.search = query.toString();
  return url;
}

function listen(to: ProbeAttempt, socket: WebSocket, api: ServerTarget): void {
  const printed: Buffer[] = [];
  let size = 0;
  socket.on('message', (data) => {
    const bytes = bytesOf(data);
    if (bytes[0] === channel.status) to.settle(judge(bytes.subarray(1), Buffer.concat(printed)));
    if (bytes[0] !== channel.stdout && bytes[0] !== channel.stderr) return;
    const kept = bytes.subarray(1, 1 + Math.max(0, maxKeptBytes - size));
    size += kept.length;
    printed.push(kept);
  });
  socket.on('unexpected-response', (request, response) => {
    if (response.statusCode === 401) api.forget();
    to.settle(unknown(`the API server refused to run the command: HTTP status ${response.statusCode}`));
    request.destroy();
  });
  socket.on('error', (error) => to.settle(unknown(error.message)));
  socket.on('close', () => to.settle(unknown('the API server did not say how the command ended')));
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** The last message is a Status. */
function judge(text: Buffer, printed: Buffer): ProbeResult {
  const output = printed.toString('utf8');
  const status = readStatus(text.toString('utf8'));
  if (status === undefined) return unknown('the API server did not say how the command ended');
  if (status['status'] === 'Success') return probeSucceeded(output);
  const message = typeof status['message'] === 'string' ? status['message'] : 'the command failed';
  if (status['reason'] === 'NonZeroExitCode')
    return probeFailed(output.trim() === '' ? message : `${message}: ${output}`);
  return unknown(message);
}

function readStatus(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

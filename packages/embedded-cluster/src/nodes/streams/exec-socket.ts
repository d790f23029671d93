import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { type ExecResult, execIn } from './exec.ts';

export interface ExecRequest {
  readonly pod: PodObject;
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** Most that a client may send in one message. */
const maxMessageBytes = 1024 * 1024;
const endOfTransmission = 4;

const server = new WebSocketServer({
  noServer: true,
  maxPayload: maxMessageBytes,
  handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
});

/** Whether the client asks for a WebSocket in one of the ways that we speak. */
export function canExec(request: IncomingMessage): boolean {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && protocols.some((protocol) => offered.includes(protocol));
}

/** Takes over the connection, and answers as the container would. */
export function handleExec(request: IncomingMessage, socket: Duplex, head: Buffer, exec: ExecRequest): void {
  server.handleUpgrade(request, socket, head, (connection) => {
    connection.on('error', () => connection.terminate());
    if (exec.stdin && isCat(exec.command)) echo(connection, exec);
    else finish(connection, exec, execIn(exec.pod, exec.container, exec.command));
  });
}

function isCat(command: readonly string[]): boolean {
  return command.length === 1 && command[0]?.split('/').at(-1) === 'cat';
}

/** What comes in goes out, until the client says that there is no more. */
function echo(connection: WebSocket, exec: ExecRequest): void {
  const done = () => finish(connection, exec, { stdout: '', stderr: '', exitCode: 0 });
  connection.on('message', (data: RawData) => {
    const [kind, ...rest] = splitMessage(data);
    if (kind === channel.close && rest[0]?.[0] === channel.stdin) done();
    if (kind !== channel.stdin || rest[0] === undefined) return;
    const ended = exec.tty && rest[0].includes(endOfTransmission);
    const content = ended ? rest[0].subarray(0, rest[0].indexOf(endOfTransmission)) : rest[0];
    if (exec.stdout && content.length > 0) write(connection, channel.stdout, content);
    if (ended) done();
  });
}

function splitMessage(data: RawData): readonly [number] | readonly [number, Buffer] {
  const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
  const kind = bytes[0];
  return kind === undefined ? [-1] : [kind, bytes.subarray(1)];
}

function finish(connection: WebSocket, exec: ExecRequest, result: ExecResult): void {
  if (exec.stdout && result.stdout !== '') write(connection, channel.stdout, Buffer.from(result.stdout));
  // A terminal has one stream for both.
  const errors = exec.tty ? channel.stdout : channel.stderr;
  if ((exec.stderr || exec.tty) && result.stderr !== '') write(connection, errors, Buffer.from(result.stderr));
  write(connection, channel.error, Buffer.from(JSON.stringify(statusOf(result.exitCode))));
  connection.close(1000);
}

function write(connection: WebSocket, kind: number, content: Buffer): void {
  connection.send(Buffer.concat([Buffer.from([kind]), content]), { binary: true });
}

function statusOf(exitCode: number): Record<string, unknown> {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

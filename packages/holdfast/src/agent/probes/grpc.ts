import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { type AttemptTerms, attempt, type ProbeAttempt } from './attempt.ts';
import { decodeStatus, encodeCheck, healthCheckPath } from './grpc-message.ts';
import { userAgent } from './http-request.ts';
import { errorText, type ProbeResult, probeFailed, probeSucceeded } from './probe-result.ts';

export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  readonly service: string;
}

/** An answer has a handful of bytes. */
const maxAnswerBytes = 4 * 1024;
const unimplemented = '12';

/** The health check of gRPC, without TLS. */
export function probeGrpc(terms: AttemptTerms, { host, port, service }: GrpcTarget): Promise<ProbeResult> {
  return attempt(terms, (to) => {
    const session = connect(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    to.onEnd(() => session.destroy());
    session.on('error', (error) => to.settle(probeFailed(errorText(error))));
    session.on('close', () => to.settle(probeFailed('the connection was closed')));
    const stream = session.request({
      ':method': 'POST',
      ':path': healthCheckPath,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': userAgent,
      'grpc-timeout': `${Math.min(terms.timeoutMs, 99_999_999)}m`,
    });
    stream.end(encodeCheck(service));
    readAnswer(to, stream);
  });
}

function readAnswer(to: ProbeAttempt, stream: ClientHttp2Stream): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let said: IncomingHttpHeaders = {};
  const note = (headers: IncomingHttpHeaders) => {
    said = { ...said, ...headers };
  };
  stream.on('response', note);
  stream.on('trailers', note);
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxAnswerBytes) to.settle(probeFailed(`the answer is longer than ${maxAnswerBytes} bytes`));
    else chunks.push(chunk);
  });
  stream.on('error', (error) => to.settle(probeFailed(errorText(error))));
  stream.on('end', () => to.settle(judge(said, Buffer.concat(chunks))));
}

function judge(said: IncomingHttpHeaders, body: Buffer): ProbeResult {
  if (Number(said[':status']) !== 200) return probeFailed(`HTTP status ${said[':status'] ?? 'unknown'}`);
  const code = said['grpc-status'];
  if (code === undefined) return probeFailed('the answer has no gRPC status');
  if (code === unimplemented) return probeFailed('the server does not implement grpc.health.v1.Health');
  if (code !== '0') return probeFailed(`gRPC status ${String(code)}: ${String(said['grpc-message'] ?? '')}`);
  const status = decodeStatus(body);
  if (status === undefined) return probeFailed('the answer cannot be read');
  return status === 'SERVING' ? probeSucceeded('SERVING') : probeFailed(`the service is ${status}`);
}

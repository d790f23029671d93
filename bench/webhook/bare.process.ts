// Reads a body and answers given bytes over HTTPS, and does nothing else: what the machine, TLS and Node cost alone.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../packages/embedded-cluster/src/time/clock.ts';
import { answerWith, cpuSpent } from '../cluster/answering.ts';
import type { Endpoint, ToBare } from './messages.ts';

let body: Buffer = Buffer.alloc(0);

answerWith<ToBare>((message) => {
  if (message.do === 'usage') return cpuSpent();
  body = Buffer.from(message.bytes, 'base64');
  return {};
});

const { material } = createPki({ clock: realClock });
const server = createServer({ cert: material.serverCertificate, key: material.serverKey, noDelay: true });
server.on('request', (request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
process.send?.({ port: (server.address() as AddressInfo).port, ca: material.caCertificate } satisfies Endpoint);

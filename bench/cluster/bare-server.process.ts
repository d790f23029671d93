// Answers given bytes over HTTPS, and does nothing else.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerWith, cpuSpent } from './answering.ts';
import type { ServeBytes, ToBareServer } from './messages.ts';

answerWith<ToBareServer>((message) => (message.do === 'cpu' ? cpuSpent() : serve(message)));

async function serve({ pki, answers }: ServeBytes): Promise<{ port: number }> {
  const bodies = new Map(Object.entries(answers).map(([path, body]) => [path, Buffer.from(body, 'base64')]));
  const server = createServer({
    cert: pki.certificate,
    key: pki.key,
    ca: pki.ca,
    requestCert: true,
    rejectUnauthorized: false,
    noDelay: true,
  });
  server.on('request', (request, response) => {
    const body = bodies.get(request.url ?? '') ?? Buffer.alloc(0);
    response.writeHead(body.length > 0 ? 200 : 404, {
      'content-type': 'application/json',
      'content-length': body.length,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

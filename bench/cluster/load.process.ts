// The clients, in a process of their own: what they cost is not the server's.
import { answerWith } from './answering.ts';
import { HttpConnection, requestBytes } from './http-connection.ts';
import type { Hammered, ToLoad } from './messages.ts';
import { sendAll } from './send-all.ts';
import { watchUnderLoad } from './watchers.ts';

answerWith<ToLoad>((message) => {
  switch (message.do) {
    case 'hammer':
      return hammer(message);
    case 'watch':
      return watchUnderLoad(message);
    case 'send':
      return sendAll(message);
  }
});

type Hammer = Extract<ToLoad, { do: 'hammer' }>;

async function hammer({ access, paths, connections, seconds }: Hammer): Promise<Hammered> {
  const requests = paths.map((path) => requestBytes({ method: 'GET', path }));
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(access)));
  const result = await drive(open, requests, seconds);
  for (const connection of open) connection.close();
  return result;
}

/** Each connection asks again as soon as it is answered. */
async function drive(open: readonly HttpConnection[], requests: readonly Buffer[], seconds: number): Promise<Hammered> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let answers = 0;
  let bytes = 0;
  let failures = 0;
  const one = async (connection: HttpConnection, first: number): Promise<void> => {
    for (let i = first; performance.now() < end; i += 1) {
      const answer = await connection.send(requests[i % requests.length] as Buffer);
      answers += 1;
      bytes += answer.bytes;
      if (answer.code !== 200) failures += 1;
    }
  };
  await Promise.all(open.map((connection, index) => one(connection, index * 7919)));
  return { answers, bytes, failures, seconds: (performance.now() - started) / 1000 };
}

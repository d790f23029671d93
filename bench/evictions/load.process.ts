// The clients who drain, in a process of their own: what they cost is not the operator's.
import { answerWith } from '../cluster/answering.ts';
import { HttpConnection, requestBytes } from '../cluster/http-connection.ts';
import type { Request } from '../cluster/messages.ts';
import { sendAll } from '../cluster/send-all.ts';
import type { Disrupted, ToLoad } from './messages.ts';

answerWith<ToLoad>((message) => (message.do === 'send' ? sendAll(message) : disrupt(message)));

type Disrupt = Extract<ToLoad, { do: 'disrupt' }>;

async function disrupt({ access, requests, connections, seconds }: Disrupt): Promise<Disrupted> {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(access)));
  const codes: Record<number, number> = {};
  const times: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1_000;
  let next = 0;
  const one = async (connection: HttpConnection): Promise<void> => {
    while (next < requests.length && performance.now() < end) {
      const bytes = requestBytes(requests[next++] as Request);
      const sent = performance.now();
      const { code } = await connection.send(bytes);
      times.push(performance.now() - sent);
      codes[code] = (codes[code] ?? 0) + 1;
    }
  };
  await Promise.all(open.map(one));
  const took = (performance.now() - begun) / 1_000;
  for (const connection of open) connection.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { sent: next, codes, seconds: took, p50: at(0.5), p99: at(0.99) };
}

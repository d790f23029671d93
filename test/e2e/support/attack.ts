import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { forge, forgedReview } from './forging.ts';

/** What a pod that reaches the webhooks can do to them without knowing their paths. Bounded in count, and it ends with `stop`. */
export interface Attack {
  /** Waves that were begun: each does everything once. */
  waves(): number;
  /** What forged reviews were told, without repetition. */
  answers(): readonly string[];
  stop(): Promise<void>;
}

export interface AttackTerms {
  readonly ports: readonly number[];
  readonly namespaces: readonly string[];
}

const host = '127.0.0.1';
const maxWaves = 60;
const waveMs = 500;
const idle = 200;
const handshakes = 40;
const slowHeads = 20;
const slowBodies = 160;
/** So many of them are more than all memory for bodies. */
const slowBytes = Buffer.alloc(430 * 1024, ' ');
/** And these take what is left between two of the others. */
const smallSlowBodies = 60;
const smallSlowBytes = Buffer.alloc(500, ' ');
const hugeBytes = Buffer.alloc(24 * 1024 * 1024, ' ');

export function attack({ ports, namespaces }: AttackTerms): Attack {
  const sockets = new Set<Socket>();
  const answers = new Set<string>();
  let waves = 0;
  let going = true;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const secure = (port: number, text: string, more?: Buffer) => {
    const socket = keep(connectTls({ host, port, rejectUnauthorized: false }));
    socket.once('secureConnect', () => {
      socket.write(text);
      if (more !== undefined) socket.write(more);
    });
  };
  const times = (count: number, act: () => void) => Array.from({ length: count }, act);
  const head = 'POST /pods?timeout=30s HTTP/1.1\r\nhost: holdfast\r\ncontent-type: application/json\r\n';
  const reviews = [...namespaces, 'kube-system', 'default'].flatMap((namespace) =>
    (['CREATE', 'DELETE'] as const).flatMap((operation) =>
      [{}, { object: { name: 'another', namespace: 'kube-system' } }].map((wish) =>
        forgedReview({ namespace, name: 'web-0', operation, ...wish }),
      ),
    ),
  );
  const forgeOne = async (port: number, body: object | Buffer) => {
    const answer = await forge(port, '/pods?timeout=10s', body).catch(() => undefined);
    if (answer !== undefined) answers.add(`${answer.code} ${answer.text}`);
  };
  const wave = async (port: number) => {
    times(idle, () => keep(connectTcp({ host, port })));
    times(handshakes, () => keep(connectTcp({ host, port })).write(Buffer.from([22, 3, 1, 2, 0, 1, 0])));
    times(slowHeads, () => secure(port, head));
    times(slowBodies, () => secure(port, `${head}content-length: 7000000\r\n\r\n`, slowBytes));
    times(smallSlowBodies, () => secure(port, `${head}content-length: 7000000\r\n\r\n`, smallSlowBytes));
    await Promise.all([hugeBytes, ...reviews].map((body) => forgeOne(port, body)));
  };
  const running = (async () => {
    while (going && waves < maxWaves) {
      waves += 1;
      await Promise.all(ports.map(wave));
      await new Promise((resolve) => setTimeout(resolve, waveMs));
    }
  })();
  return {
    waves: () => waves,
    answers: () => [...answers],
    async stop() {
      going = false;
      for (const socket of sockets) socket.destroy();
      await running;
      for (const socket of sockets) socket.destroy();
    },
  };
}

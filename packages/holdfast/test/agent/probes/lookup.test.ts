import { describe, expect, it } from 'vitest';
import { probeHttp } from '../../../src/agent/probes/http.ts';
import { Lookups, type Resolve } from '../../../src/agent/probes/lookup.ts';
import { probeTcp } from '../../../src/agent/probes/tcp.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { serve } from '../support/http-server.ts';

type Callback = Parameters<Resolve>[2];

/** A name server that answers when it is told to. */
class SlowNames {
  readonly asked: string[] = [];
  readonly #waiting: Callback[] = [];

  readonly resolve: Resolve = (host, _options, callback) => {
    this.asked.push(host);
    this.#waiting.push(callback);
  };

  answer(): void {
    this.#waiting.shift()?.(null, [{ address: '127.0.0.1', family: 4 }]);
  }
}

const handler = { kind: 'httpGet', path: '/', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;

describe('names in probes', () => {
  it('are looked up two at a time; a probe that is over does not wait for its turn', async () => {
    const clock = new TestClock();
    const names = new SlowNames();
    const lookups = new Lookups(names.resolve);
    const { port } = await serve((_, response) => void response.end());
    const terms = { clock, timeoutMs: 1_000 };
    const early = ['a.test', 'b.test', 'c.test'].map((host) => probeTcp(terms, lookups, host, port));
    const patient = { clock, timeoutMs: 10_000 };
    const late = probeHttp(patient, { handler, host: 'd.test', port, lookups });
    await clock.advance(1_000);
    for (const { result } of await Promise.all(early)) expect(result).toBe('failure');
    // Nothing ends a lookup that is under way.
    expect(names.asked).toEqual(['a.test', 'b.test']);
    names.answer();
    await expect.poll(() => names.asked).toEqual(['a.test', 'b.test', 'd.test']);
    names.answer();
    names.answer();
    expect(await late).toMatchObject({ result: 'success' });
  });

  it('are no matter for addresses', async () => {
    const names = new SlowNames();
    const { port } = await serve((_, response) => void response.end());
    const terms = { clock: new TestClock(), timeoutMs: 1_000 };
    const lookups = new Lookups(names.resolve);
    expect(await probeTcp(terms, lookups, '127.0.0.1', port)).toMatchObject({ result: 'success' });
    expect(await probeHttp(terms, { handler, host: '127.0.0.1', port, lookups })).toMatchObject({ result: 'success' });
    expect(names.asked).toEqual([]);
  });
});

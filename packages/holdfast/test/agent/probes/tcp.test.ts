import { describe, expect, it } from 'vitest';
import { Lookups } from '../../../src/agent/probes/lookup.ts';
import { probeTcp } from '../../../src/agent/probes/tcp.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { deadPort, serveRaw } from '../support/http-server.ts';

const lookups = new Lookups();
const terms = { clock: realClock, timeoutMs: 10_000 };

describe('a TCP probe', () => {
  it('succeeds where a server listens, and closes the connection', async () => {
    const { port, open } = await serveRaw((socket) => socket.resume());
    expect(await probeTcp(terms, lookups, '127.0.0.1', port)).toEqual({ result: 'success', output: 'connected' });
    await expect.poll(open).toBe(0);
  });

  it('fails where nothing listens', async () => {
    expect(await probeTcp(terms, lookups, '127.0.0.1', await deadPort())).toMatchObject({ result: 'failure' });
  });

  it('fails on a host that cannot be found', async () => {
    expect(await probeTcp(terms, lookups, 'host.invalid', 80)).toMatchObject({ result: 'failure' });
  });

  it('fails when its time is up, whatever the network does', async () => {
    const clock = new TestClock();
    // An address for documentation: no answer ever comes from there.
    const asking = probeTcp({ clock, timeoutMs: 1_000 }, lookups, '192.0.2.1', 80);
    await clock.advance(1_000);
    expect((await asking).result).toBe('failure');
  });
});

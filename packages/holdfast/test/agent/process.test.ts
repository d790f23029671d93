import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProbeLease } from '../../src/api/probe-lease.ts';
import { AgentProcess } from './support/agent-process.ts';
import { AgentBed } from './support/bed.ts';

let bed: AgentBed;

beforeEach(async () => {
  bed = await AgentBed.start();
});

afterEach(() => bed.close());

const version = async () => (await bed.lease())?.metadata.resourceVersion;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function started(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<AgentProcess> {
  const agent = await AgentProcess.start(bed.access, ['--namespace', bed.namespace, ...args], env);
  bed.atEnd(async () => {
    agent.signal('SIGKILL');
    await agent.ended();
  });
  return agent;
}

/** Of a process that renews every second. */
const shortLease = ['--lease-duration', '4'];
/** A few times as long as between two renewals. */
const silenceMs = 2_500;

describe('an agent as a process of its own', () => {
  it('[I4] that is killed says nothing any more', async () => {
    await bed.pod('db-0');
    const agent = await started({}, '--node', 'node-a', ...shortLease);
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    agent.signal('SIGKILL');
    expect(await agent.ended()).toBeNull();
    const last = await version();
    await pause(silenceMs);
    expect(await version()).toBe(last);
  });

  it('[I4] that was frozen does not repeat, when it goes on, what it knew before', async () => {
    // After four seconds without an answer nothing counts as known.
    await bed.pod('db-0', { probe: { ...bed.probe('db-0'), periodSeconds: 1, timeoutSeconds: 1 } });
    const agent = await started({}, '--node', 'node-a', ...shortLease);
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    agent.signal('SIGSTOP');
    await pause(200);
    const last = await version();
    // It takes another second until that is a failure.
    bed.application.says('db-0', 'silent');
    await pause(4_500);
    expect(await version()).toBe(last);
    const leases = bed.leasePath().replace(/\/[^/]*$/, '');
    const watch = await bed.cluster.watch(`${leases}?resourceVersion=${last}`);
    agent.signal('SIGCONT');
    const next = await watch.next();
    expect(readProbeLease(next?.object)).toMatchObject({ ok: true, value: { disruptable: new Set() } });
  });

  it('that is asked to end ends, and takes its node from its environment', async () => {
    await bed.pod('db-0');
    const agent = await started({ NODE_NAME: 'node-a' }, ...shortLease);
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    agent.signal('SIGTERM');
    expect(await agent.ended()).toBe(0);
    expect(agent.log).toContain('the agent stops');
    expect((await bed.listed())?.size).toBe(1);
  });

  it('does not start without knowing for which node', async () => {
    const agent = await started({});
    expect(await agent.ended()).toBe(2);
    expect(agent.log).toContain('no node is named: use --node NAME');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiProxy, type Asked, cut, type Fate, pass } from '../../../../test/support/api-proxy.ts';
import { made } from '../../../../test/support/cluster.ts';
import { AgentBed } from './support/bed.ts';

let bed: AgentBed;

beforeEach(async () => {
  bed = await AgentBed.start();
});

afterEach(() => bed.close());

async function proxied(): Promise<ApiProxy> {
  const proxy = await ApiProxy.start(bed.access);
  bed.atEnd(() => proxy.close());
  return proxy;
}

const version = async () => (await bed.lease())?.metadata.resourceVersion;
const holder = async () => (await bed.lease())?.spec['holderIdentity'];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isLeaseWrite = ({ method, path }: Asked) => method === 'PUT' && path.includes('/leases/');

describe('[I4] nothing is disruptable that no living agent has just found to be so', () => {
  it('when the agent stops: it stops renewing, and takes nothing back', async () => {
    const { metadata } = await bed.pod('db-0');
    const agent = await bed.agent({ leaseDurationSeconds: 4 });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    const before = await version();
    await bed.eventually(async () => (await version()) !== before, 'the lease is renewed');
    await agent.stop();
    const last = await version();
    // Several times as long as between two renewals.
    await pause(400);
    expect(await version()).toBe(last);
    expect(await bed.listed()).toEqual(new Set([metadata.uid]));
    expect(await bed.shown('db-0')).toMatchObject({ status: 'True' });
  });

  it('when its container was restarted', async () => {
    await bed.pod('db-0');
    await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    bed.application.says('db-0', 'silent');
    await bed.run('db-0', { life: 2 });
    await bed.eventually(async () => (await bed.shown('db-0'))?.reason === 'ProbePending', 'it has to say so again');
    expect(await bed.listed()).toEqual(new Set());
  });

  it('when its container has ended', async () => {
    await bed.pod('db-0');
    await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await bed.run('db-0', { running: false });
    await bed.eventually(async () => (await bed.shown('db-0'))?.reason === 'ContainerNotRunning', 'it is not');
    expect(await bed.listed()).toEqual(new Set());
  });

  it('when it is another pod of the same name', async () => {
    const first = await bed.pod('db-0');
    const proxy = await proxied();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let held: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    let isFirst = true;
    // Its first condition is on its way while the pod is replaced.
    proxy.fate = async ({ method }) => {
      if (method === 'PATCH' && isFirst) {
        isFirst = false;
        held();
        await released;
      }
      return pass;
    };
    await bed.agent({ access: proxy.through(bed.access) });
    await isHeld;
    await bed.remove('db-0');
    const second = await bed.pod('db-0', { node: 'node-b' });
    release();
    const refused = () => proxy.answers.find(({ method, code }) => method === 'PATCH' && code === 422);
    await bed.eventually(() => refused() !== undefined, 'the write is refused');
    expect(refused()?.text).toContain('metadata.uid');
    expect(await bed.shown('db-0')).toBeUndefined();
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(await bed.listed()).not.toContain(second.metadata.uid);
    // The first one was asked while it lived, and may be listed until the agent has seen that it is gone.
    await bed.eventually(async () => (await bed.listed())?.size === 0, 'no pod is listed');
  });

  it('when a person writes the condition on the pod by hand', async () => {
    bed.application.says('db-0', 'no');
    await bed.pod('db-0');
    await bed.agent();
    await bed.eventually(async () => (await bed.shown('db-0'))?.reason === 'ProbeFailing', 'it is not disruptable');
    await bed.status('db-0', { conditions: [{ type: 'Disruptable', status: 'True', reason: 'ByHand' }] });
    expect(await bed.listed()).toEqual(new Set());
    await bed.eventually(async () => (await bed.shown('db-0'))?.status === 'False', 'it is put right');
    expect(await bed.listed()).toEqual(new Set());
  });

  it('when the API server cannot be reached: then nothing is renewed, and afterwards only what is true', async () => {
    await bed.pod('db-0');
    await bed.pod('db-1');
    const proxy = await proxied();
    const agent = await bed.agent({ access: proxy.through(bed.access), leaseDurationSeconds: 4 });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await bed.eventually(() => bed.isDisruptable('db-1'), 'the other one is, too');
    proxy.fate = () => cut;
    proxy.cutWatches();
    await pause(150);
    const last = await version();
    bed.application.says('db-0', 'no');
    const asked = bed.application.timesAsked('db-0');
    await bed.eventually(() => bed.application.timesAsked('db-0') >= asked + 2, 'the agent has heard the no');
    await bed.eventually(() => agent.missing().length > 0, 'the agent knows that it is not heard');
    expect(await version()).toBe(last);
    proxy.fate = () => pass;
    await bed.eventually(async () => (await version()) !== last, 'the lease is renewed');
    expect(await bed.listed()).toEqual(new Set([(await bed.read('db-1')).metadata.uid]));
    await bed.eventually(async () => (await bed.shown('db-0'))?.status === 'False', 'it is not disruptable');
  });

  it('when the network swallows everything: nothing is waited for longer than a renewal', async () => {
    await bed.pod('db-0');
    await bed.pod('db-1');
    const proxy = await proxied();
    const agent = await bed.agent({ access: proxy.through(bed.access), leaseDurationSeconds: 4 });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await bed.eventually(() => bed.isDisruptable('db-1'), 'the other one is, too');
    const swallowed = new Promise<Fate>(() => undefined);
    let lost = 0;
    proxy.fate = ({ path }) => {
      if (path.includes('/leases/')) lost += 1;
      return swallowed;
    };
    proxy.stallWatches();
    bed.application.says('db-0', 'no');
    await bed.eventually(() => lost >= 3, 'it tries again and again');
    await bed.eventually(() => agent.missing().length > 0, 'the agent knows that it is not heard');
    const last = await version();
    proxy.fate = () => pass;
    await bed.eventually(async () => (await version()) !== last, 'the lease is renewed');
    expect(await bed.listed()).toEqual(new Set([(await bed.read('db-1')).metadata.uid]));
    await bed.eventually(() => agent.missing().length === 0, 'the agent is ready again');
  });

  it('when the answer to a renewal got lost: the lease is read before it is written again', async () => {
    await bed.pod('db-0');
    const proxy = await proxied();
    await bed.agent({ access: proxy.through(bed.access), leaseDurationSeconds: 4 });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    let lost = 0;
    proxy.fate = (asked) => {
      if (!isLeaseWrite(asked) || lost > 2) return pass;
      lost += 1;
      return { kind: 'cutAnswer', first: () => Promise.resolve() };
    };
    await bed.eventually(() => lost > 2, 'answers get lost');
    const before = await version();
    await bed.eventually(async () => (await version()) !== before, 'the lease is renewed all the same');
    expect(await bed.isDisruptable('db-0')).toBe(true);
  });

  it('when the lease is deleted: it is created again, and says the same', async () => {
    await bed.pod('db-0');
    await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await made(bed.cluster.request('DELETE', bed.leasePath()));
    expect(await bed.isDisruptable('db-0')).toBe(false);
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable again');
  });

  it('when another takes the lease, list and all: the agent keeps silent until that one does', async () => {
    const contentType = 'application/merge-patch+json';
    await bed.pod('db-0');
    await bed.agent({ identity: 'mine', leaseDurationSeconds: 4 });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    const patch = (spec: object) =>
      made(bed.cluster.request('PATCH', bed.leasePath(), { contentType, body: { spec } }));
    await patch({ holderIdentity: 'thief', leaseDurationSeconds: 600 });
    bed.application.says('db-0', 'no');
    await bed.eventually(() => bed.log.some((line) => line.includes('another agent holds')), 'it is noticed');
    const asked = bed.application.timesAsked('db-0');
    await bed.eventually(() => bed.application.timesAsked('db-0') >= asked + 2, 'probing goes on');
    expect(await holder()).toBe('thief');
    expect(await bed.listed()).toBeUndefined();
    await patch({ leaseDurationSeconds: 1 });
    await bed.eventually(async () => (await holder()) === 'mine', 'it is taken again when it has run out');
    await bed.eventually(async () => (await bed.shown('db-0'))?.status === 'False', 'and the truth is told');
  });
});

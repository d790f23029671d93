import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiProxy } from '../../../../test/support/api-proxy.ts';
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

/** So long that nothing is renewed while a test runs. */
const longLease = { leaseDurationSeconds: 3_600 };

const isWrite = ({ method }: { method: string }) => method === 'PATCH' || method === 'PUT';

async function eventsOf(name: string): Promise<readonly string[]> {
  const selector = `fieldSelector=involvedObject.name=${name}`;
  const { items } = await made(bed.cluster.request('GET', `/api/v1/namespaces/${bed.namespace}/events?${selector}`));
  return items.map((event) => `${event['type']} ${event.reason}`);
}

describe('what an agent says about a pod', () => {
  it('is yes on the pod and in the lease once its probe succeeds, and no in both once it fails', async () => {
    const { metadata } = await bed.pod('db-0');
    const agent = await bed.agent({ identity: 'agent' });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    expect(agent.missing()).toEqual([]);
    expect(await bed.shown('db-0')).toMatchObject({ status: 'True', reason: 'ProbeSucceeded' });
    const lease = await bed.lease();
    expect(lease?.metadata.labels).toEqual({ 'holdfast.dev/probe-lease': 'true' });
    expect(lease?.metadata.annotations).toEqual({
      'holdfast.dev/node': 'node-a',
      'holdfast.dev/listed-by': 'agent',
      'holdfast.dev/disruptable-pods': metadata.uid,
    });
    expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 40 });

    bed.application.says('db-0', 'no');
    await bed.eventually(async () => (await bed.shown('db-0'))?.status === 'False', 'it is not disruptable');
    expect(await bed.listed()).toEqual(new Set());
    const shown = await bed.shown('db-0');
    expect(shown).toMatchObject({ reason: 'ProbeFailing', message: 'container app: HTTP status 503' });

    bed.application.says('db-0', 'yes');
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable again');
    const events = ['Normal Disruptable', 'Warning NotDisruptable'];
    await bed.eventually(async () => (await eventsOf('db-0')).length >= 2, 'there are events');
    expect((await eventsOf('db-0')).toSorted()).toEqual(events);
  });

  it('is written when it changes, and only then', async () => {
    await bed.pod('db-0');
    const proxy = await proxied();
    await bed.agent({ ...longLease, access: proxy.through(bed.access) });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    const version = (await bed.read('db-0')).metadata.resourceVersion;
    const asked = bed.application.timesAsked('db-0');
    proxy.answers.length = 0;
    await bed.eventually(() => bed.application.timesAsked('db-0') >= asked + 5, 'it is asked again and again');
    expect((await bed.read('db-0')).metadata.resourceVersion).toBe(version);
    expect(proxy.answers.filter(isWrite)).toEqual([]);
  });

  it('[I4] is in the lease first, a yes as well as a no: a reader of both never takes the agent for a silent one', async () => {
    await bed.pod('db-0');
    const proxy = await proxied();
    await bed.agent({ ...longLease, access: proxy.through(bed.access) });
    const order = () =>
      proxy.answers.filter(isWrite).map(({ path }) => (path.includes('/leases/') ? 'lease' : 'condition'));
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    expect(order().slice(-2)).toEqual(['lease', 'condition']);
    proxy.answers.length = 0;
    bed.application.says('db-0', 'no');
    await bed.eventually(() => order().length >= 2, 'it is not disruptable');
    expect(order()).toEqual(['lease', 'condition']);
  });

  it('belongs to the agent, and everything else on the pod to others', async () => {
    await bed.pod('db-0');
    await bed.status('db-0', { conditions: [{ type: 'Ready', status: 'True' }] });
    await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    const { metadata, status } = await bed.read('db-0');
    const own = metadata.managedFields.filter(({ manager }) => manager === 'holdfast-agent');
    expect(own).toMatchObject([{ operation: 'Apply', subresource: 'status' }]);
    expect(Object.keys(own[0]?.fieldsV1['f:status'] as object)).toEqual(['f:conditions']);
    const types = (status['conditions'] as readonly { type: string }[]).map(({ type }) => type);
    expect(types.toSorted()).toEqual(['Disruptable', 'Ready']);
  });

  it('is no as long as one of several containers says so', async () => {
    const probe = { app: bed.probe('db-0-app'), log: bed.probe('db-0-log') };
    const containers = [
      { name: 'app', image: 'app' },
      { name: 'log', image: 'log' },
    ];
    bed.application.says('db-0-log', 'no');
    await bed.pod('db-0', { probe, containers });
    await bed.agent();
    const reason = async () => (await bed.shown('db-0'))?.reason;
    await bed.eventually(async () => (await reason()) === 'ProbeFailing', 'one says no');
    expect((await bed.shown('db-0'))?.message).toMatch(/^container log/);
    bed.application.says('db-0-log', 'yes');
    await bed.eventually(() => bed.isDisruptable('db-0'), 'both say yes');
  });

  it('finds ports by the name that the container gives them', async () => {
    const containers = [{ name: 'app', image: 'app', ports: [{ name: 'web', containerPort: bed.application.port }] }];
    const probe = { httpGet: { path: '/db-0', port: 'web' }, periodSeconds: 5, timeoutSeconds: 5 };
    await bed.pod('db-0', { containers, probe });
    await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
  });
});

describe('[I4] a pod that cannot be probed is not disruptable, and says why', () => {
  it('with a probe that cannot be read, until it can', async () => {
    await bed.pod('db-0', { probe: '{"httpGet": {"port": 70000}}' });
    await bed.agent();
    await bed.eventually(async () => (await bed.shown('db-0'))?.reason === 'ProbeInvalid', 'it is invalid');
    expect(await bed.shown('db-0')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('httpGet.port: Invalid value: 70000: must be between 1 and 65535'),
    });
    await bed.eventually(async () => (await eventsOf('db-0')).length > 0, 'there is an event');
    expect(await eventsOf('db-0')).toEqual(['Warning ProbeInvalid']);
    await bed.annotate('db-0', { 'holdfast.dev/disruption-probe': JSON.stringify(bed.probe('db-0')) });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await bed.annotate('db-0', { 'holdfast.dev/disruption-probe': 'nonsense' });
    await bed.eventually(async () => (await bed.shown('db-0'))?.reason === 'ProbeInvalid', 'it is invalid again');
    expect(await bed.listed()).toEqual(new Set());
  });

  it('with a command that may not be run', async () => {
    await bed.pod('db-0', { probe: { exec: { command: ['check'] } } });
    await bed.agent();
    await bed.eventually(async () => (await bed.shown('db-0'))?.reason === 'ExecNotAllowed', 'it is not allowed');
    expect(await eventsOf('db-0')).toEqual(['Warning ExecNotAllowed']);
  });

  it('before its container runs', async () => {
    await bed.pod('db-0', { running: false });
    await bed.agent();
    await bed.eventually(async () => (await bed.shown('db-0')) !== undefined, 'something is said');
    expect(await bed.shown('db-0')).toMatchObject({ status: 'False', reason: 'ContainerNotRunning' });
    expect(bed.application.timesAsked('db-0')).toBe(0);
    await bed.run('db-0');
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
  });
});

describe('an agent', () => {
  it('leaves alone the pods of other nodes, and those without a probe', async () => {
    await bed.pod('mine');
    await bed.pod('other', { node: 'node-b' });
    await bed.pod('bare', { probe: undefined });
    const proxy = await proxied();
    await bed.agent({ access: proxy.through(bed.access) });
    await bed.eventually(() => bed.isDisruptable('mine'), 'its own pod is disruptable');
    // Those of other nodes are not even sent to it.
    const reads = proxy.answers.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/v1/pods'));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter(({ path }) => !path.includes('fieldSelector=spec.nodeName%3Dnode-a'))).toEqual([]);
    expect(await bed.shown('other')).toBeUndefined();
    expect(await bed.shown('bare')).toBeUndefined();
    expect(await bed.lease('node-b')).toBeUndefined();
    expect(bed.application.timesAsked('other')).toBe(0);
  });

  it('may serve several nodes, or all of them, with a lease for each', async () => {
    await bed.pod('a', { node: 'node-a' });
    await bed.pod('b', { node: 'node-b' });
    await bed.pod('c', { node: 'node-c' });
    await bed.agent({ nodes: ['node-a', 'node-b'] });
    await bed.eventually(() => bed.isDisruptable('a', 'node-a'), 'a is disruptable');
    await bed.eventually(() => bed.isDisruptable('b', 'node-b'), 'b is disruptable');
    expect(await bed.lease('node-c')).toBeUndefined();
    await bed.agent({ nodes: 'all' });
    await bed.eventually(() => bed.isDisruptable('c', 'node-c'), 'c is disruptable');
  });

  it('serves more nodes than it opens watches', async () => {
    const nodes = Array.from({ length: 20 }, (_, number) => `node-${number}`);
    await bed.pod('a', { node: 'node-19' });
    await bed.pod('b', { node: 'node-20' });
    const agent = await bed.agent({ nodes });
    await bed.eventually(() => bed.isDisruptable('a', 'node-19'), 'a is disruptable');
    await bed.eventually(() => agent.missing().length === 0, 'every lease is held');
    expect(await bed.shown('b')).toBeUndefined();
  });

  it('ties the lease to its node, so that they go together', async () => {
    const node = await made(bed.cluster.request('POST', '/api/v1/nodes', { body: { metadata: { name: 'node-a' } } }));
    bed.cluster.cleanUp('/api/v1/nodes/node-a');
    await bed.agent({ nodes: ['node-a', 'node-b'] });
    await bed.eventually(
      async () => (await bed.lease('node-b')) !== undefined,
      'a node that is not there has one, too',
    );
    await bed.eventually(async () => (await bed.lease('node-a')) !== undefined, 'there is a lease');
    const { uid } = node.metadata;
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'node-a', uid };
    expect((await bed.lease('node-a'))?.metadata.ownerReferences).toEqual([owner]);
    expect((await bed.lease('node-b'))?.metadata.ownerReferences).toBeUndefined();
  });

  it('that serves all nodes leaves no list behind on one where no pod is probed any more', async () => {
    await bed.pod('db-0');
    await bed.agent({ nodes: 'all' });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await bed.annotate('db-0', { 'holdfast.dev/disruption-probe': null });
    await bed.eventually(async () => (await bed.listed())?.size === 0, 'no pod is listed');
  });

  it('no longer lists a pod that leaves, or has no probe any more', async () => {
    const names = ['deleted', 'finished', 'bare'];
    for (const name of names) await bed.pod(name);
    await bed.agent();
    for (const name of names) await bed.eventually(() => bed.isDisruptable(name), `${name} is disruptable`);
    await bed.remove('deleted');
    await bed.status('finished', { phase: 'Succeeded' });
    await bed.annotate('bare', { 'holdfast.dev/disruption-probe': null });
    await bed.eventually(async () => (await bed.listed())?.size === 0, 'no pod is listed');
    const asked = bed.application.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(bed.application.asked.length).toBe(asked);
  });

  it('shows what it does, and that it is ready', async () => {
    await bed.pod('db-0');
    bed.application.says('db-1', 'no');
    await bed.pod('db-1');
    const agent = await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await bed.eventually(async () => (await bed.shown('db-1'))?.reason === 'ProbeFailing', 'the other one is not');
    const page = async (path: string) => (await fetch(`http://127.0.0.1:${agent.healthPort}${path}`)).text();
    expect(await page('/readyz')).toBe('ok\n');
    const metrics = await page('/metrics');
    expect(metrics).toMatch(/holdfast_agent_probes_total\{handler="httpGet",result="success"\} [1-9]/);
    expect(metrics).toMatch(/holdfast_agent_probes_total\{handler="httpGet",result="failure"\} [1-9]/);
    expect(metrics).toMatch(/holdfast_agent_probe_duration_seconds_count\{handler="httpGet"\} [1-9]/);
    expect(metrics).toContain('holdfast_agent_probed_pods 2');
    expect(metrics).toContain('holdfast_agent_vetoing_pods 1');
    expect(metrics).toMatch(/holdfast_agent_lease_age_seconds [0-9]/);
    expect(metrics).toMatch(/holdfast_agent_writes_total\{what="lease",result="ok"\} [1-9]/);
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const { namespace } = cluster;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

async function deployment(name: string, replicas = 1): Promise<string> {
  const spec = { replicas, selector: { matchLabels: { app: name } }, template: template(name) };
  await made(cluster.request('POST', deployments, { body: { metadata: { name }, spec } }));
  return `${deployments}/${name}`;
}

async function pod(name: string, spec: object = {}): Promise<string> {
  const body = { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  await made(cluster.request('POST', pods, { body }));
  return `${pods}/${name}`;
}

describe.skipIf(cluster.disturbed)('status', () => {
  it('changes by its own path only, and nothing else changes there', async () => {
    const path = await deployment('status');
    const ignored = await made(
      cluster.request('PATCH', path, { contentType: merge, body: { status: { replicas: 7 } } }),
    );
    expect(ignored.status['replicas']).toBeUndefined();
    const body = { spec: { replicas: 9 }, status: { replicas: 2 }, metadata: { labels: { x: 'y' } } };
    const after = await made(cluster.request('PATCH', `${path}/status`, { contentType: merge, body }));
    expect(after.status).toMatchObject({ replicas: 2 });
    expect(after.spec['replicas']).toBe(1);
    expect(after.metadata.generation).toBe(1);
    expect((await made(cluster.request('GET', `${path}/status`))).status).toEqual(after.status);
  });

  it('is validated', async () => {
    const path = await deployment('bad-status');
    const body = { status: { replicas: 1, readyReplicas: 2 } };
    const answer = await cluster.request('PATCH', `${path}/status`, { contentType: merge, body });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    );
  });
});

describe.skipIf(cluster.disturbed)('scale', () => {
  it('shows and changes replicas', async () => {
    const path = await deployment('scaled', 2);
    const scale = await made(cluster.request('GET', `${path}/scale`));
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'scaled', namespace },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=scaled' },
    });
    const put = await made(cluster.request('PUT', `${path}/scale`, { body: { ...scale, spec: { replicas: 3 } } }));
    expect(put.spec['replicas']).toBe(3);
    const patched = await made(
      cluster.request('PATCH', `${path}/scale`, { contentType: merge, body: { spec: { replicas: 4 } } }),
    );
    expect(patched.spec['replicas']).toBe(4);
    const object = await made(cluster.request('GET', path));
    expect(object.spec['replicas']).toBe(4);
    expect(object.metadata.generation).toBe(3);
    const scaling = object.metadata.managedFields.find(({ subresource }) => subresource === 'scale');
    expect(scaling).toMatchObject({ operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } });
  });

  it('is refused for less than none, for another version and for nothing', async () => {
    const path = await deployment('scaled-wrong');
    const scale = await made(cluster.request('GET', `${path}/scale`));
    const negative = await cluster.request('PUT', `${path}/scale`, { body: { ...scale, spec: { replicas: -1 } } });
    expect(negative.code).toBe(422);
    expect(negative.body.message).toContain('spec.replicas: Invalid value: -1: must be greater than or equal to 0');
    await made(cluster.request('PUT', `${path}/scale`, { body: { ...scale, spec: { replicas: 5 } } }));
    expect((await cluster.request('PUT', `${path}/scale`, { body: scale })).code).toBe(409);
    expect((await cluster.request('GET', `${deployments}/none/scale`)).code).toBe(404);
  });
});

describe.skipIf(cluster.disturbed)('binding', () => {
  it('says once where a pod runs', async () => {
    const path = await pod('bound');
    const bind = (node: string) =>
      cluster.request('POST', `${path}/binding`, {
        body: { metadata: { name: 'bound' }, target: { kind: 'Node', name: node } },
      });
    expect(await bind('n1')).toMatchObject({ code: 201, body: { kind: 'Status', status: 'Success' } });
    const body = await made(cluster.request('GET', path));
    expect(body.spec['nodeName']).toBe('n1');
    expect(body.metadata.generation).toBe(1);
    expect(body.status['conditions']).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
    expect(await bind('n2')).toMatchObject({
      code: 409,
      body: {
        message: 'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "n1"',
      },
    });
  });

  it('is refused without a node', async () => {
    const path = await pod('unbound');
    const answer = await cluster.request('POST', `${path}/binding`, {
      body: { metadata: { name: 'unbound' }, target: {} },
    });
    expect(answer).toMatchObject({ code: 500, body: { message: 'target.name: Required value' } });
  });
});

describe.skipIf(cluster.disturbed)('what a pod may change', () => {
  it('is its images, and not its node', async () => {
    const path = await pod('fixed');
    const image = { spec: { containers: [{ name: 'c', image: 'j' }] } };
    const patched = await made(cluster.request('PATCH', path, { contentType: strategic, body: image }));
    expect(JSON.stringify(patched.spec['containers'])).toContain('"j"');
    const moved = await cluster.request('PATCH', path, { contentType: merge, body: { spec: { hostNetwork: true } } });
    expect(moved.code).toBe(422);
    expect(moved.body.message).toContain('spec: Forbidden: pod updates may not change fields other than');
  });

  it('is its resources, by way of resize', async () => {
    const path = await pod('resized', {
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' }, limits: { cpu: '100m' } } }],
    });
    const resources = { requests: { cpu: '50m' }, limits: { cpu: '100m' } };
    const body = { spec: { containers: [{ name: 'c', resources }] } };
    const resized = await made(cluster.request('PATCH', `${path}/resize`, { contentType: strategic, body }));
    expect((resized.spec['containers'] as { resources: object }[])[0]?.resources).toEqual(resources);
    const image = { spec: { containers: [{ name: 'c', image: 'other' }] } };
    const same = await made(cluster.request('PATCH', `${path}/resize`, { contentType: strategic, body: image }));
    expect((same.spec['containers'] as { image: string }[])[0]?.image).toBe('i');
  });
});

describe('tokens of service accounts', () => {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;

  it('let their bearer be the account', async () => {
    await made(cluster.request('POST', accounts, { body: { metadata: { name: 'robot' } } }));
    const answer = await cluster.request('POST', `${accounts}/robot/token`, {
      body: { spec: { expirationSeconds: 600 } },
    });
    expect(answer).toMatchObject({ code: 201, body: { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' } });
    const token = answer.body.status['token'] as string;
    const self = await made(
      cluster.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { token, body: {} }),
    );
    expect(self.status['userInfo']).toMatchObject({
      username: `system:serviceaccount:${namespace}:robot`,
      groups: expect.arrayContaining([
        'system:serviceaccounts',
        `system:serviceaccounts:${namespace}`,
        'system:authenticated',
      ]),
    });
    const review = await made(
      cluster.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec: { token } } }),
    );
    expect(review.status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:robot` },
    });
  });

  it('are for accounts that are there, and for ten minutes at least', async () => {
    const absent = await cluster.request('POST', `${accounts}/absent/token`, { body: { spec: {} } });
    expect(absent.code).toBe(404);
    const short = await cluster.request('POST', `${accounts}/default/token`, {
      body: { spec: { expirationSeconds: 10 } },
    });
    expect(short.code).toBe(422);
    expect(short.body.message).toContain(
      'spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    );
  });
});

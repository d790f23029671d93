import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/operator/admission/deadline.ts';
import { type AdmissionAnswer, readReview } from '../../../src/operator/admission/wire/review.ts';
import { probesHandler } from '../../../src/operator/handlers/probes.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { podObject, type ReviewWish, reviewText } from '../admission/reviews.ts';

const key = 'holdfast.dev/disruption-probe';
const good = { annotations: { [key]: '{"httpGet":{"port":8008}}' } };
const bad = { annotations: { [key]: '{"httpGet":{}}' } };
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const pods = { group: '', version: 'v1', resource: 'pods' };
const apps = (resource: string) => ({ group: 'apps', version: 'v1', resource });

const template = (metadata: object, containers: readonly object[] = [{ name: 'main' }]) => ({
  metadata,
  spec: { containers },
});
const owner = (kind: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'db', namespace: 'shop', ...metadata },
  spec,
});

async function answerTo(wish: ReviewWish): Promise<AdmissionAnswer> {
  const review = readReview(Buffer.from(reviewText(wish)));
  if (!review.ok) throw new Error(review.problem);
  return probesHandler(['allowed.example']).answer(review.request, { deadline: new Deadline(new TestClock(), 9_000) });
}

const field = `metadata.annotations[${key}].httpGet.port`;

describe('a probe that cannot be read', () => {
  it.each<readonly [string, ReviewWish, string]>([
    ['in a pod', { resource: pods, operation: 'CREATE', object: podObject(bad) }, field],
    [
      'in a pod whose name the server chooses',
      { resource: pods, operation: 'CREATE', name: '', object: podObject({ ...bad, generateName: 'web-' }) },
      field,
    ],
    [
      'in the container of a pod',
      {
        resource: pods,
        operation: 'CREATE',
        object: podObject({}, { containers: [{ name: 'main', disruptionProbe: { periodSeconds: 0 } }] }),
      },
      'spec.containers[0].disruptionProbe.periodSeconds',
    ],
    [
      'in a Deployment',
      {
        resource: apps('deployments'),
        operation: 'CREATE',
        object: owner('Deployment', { template: template(bad) }),
      },
      `spec.template.${field}`,
    ],
    [
      'in a CronJob',
      {
        resource: { group: 'batch', version: 'v1', resource: 'cronjobs' },
        operation: 'CREATE',
        object: owner('CronJob', { jobTemplate: { spec: { template: template(bad) } } }),
      },
      `spec.jobTemplate.spec.template.${field}`,
    ],
    [
      'in the workers of a LeaderWorkerSet',
      {
        resource: { group: 'leaderworkerset.x-k8s.io', version: 'v1', resource: 'leaderworkersets' },
        operation: 'CREATE',
        object: owner('LeaderWorkerSet', {
          leaderWorkerTemplate: { leaderTemplate: template(good), workerTemplate: template(bad) },
        }),
      },
      `spec.leaderWorkerTemplate.workerTemplate.${field}`,
    ],
    [
      'in a StatefulSet that had a good one',
      {
        resource: apps('statefulsets'),
        operation: 'UPDATE',
        oldObject: owner('StatefulSet', { template: template(good) }),
        object: owner('StatefulSet', { template: template(bad) }),
      },
      `spec.template.${field}`,
    ],
    [
      'for a container that is gone',
      {
        resource: apps('statefulsets'),
        operation: 'UPDATE',
        oldObject: owner('StatefulSet', {
          template: template({ annotations: { [key]: 'main: {httpGet: {port: 1}}' } }),
        }),
        object: owner('StatefulSet', {
          template: template({ annotations: { [key]: 'main: {httpGet: {port: 1}}' } }, [{ name: 'other' }]),
        }),
      },
      `spec.template.metadata.annotations[${key}].main`,
    ],
  ])('%s is refused, with the field and the reason', async (_, wish, at) => {
    const answer = await answerTo(wish);
    expect(answer).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
    expect(answer.allowed === false && answer.causes?.some((cause) => cause.field === at)).toBe(true);
    expect(answer.allowed === false && answer.message).toContain(at);
  });

  it('names the kind and the object in words that kubectl users know', async () => {
    const object = owner('Deployment', { template: template(bad) });
    const answer = await answerTo({ resource: apps('deployments'), operation: 'CREATE', name: 'db', object });
    expect(answer.allowed === false && answer.message).toMatch(/^Deployment\.apps "db" is invalid: spec\.template\./);
  });
});

describe('nothing else is refused', () => {
  it.each<readonly [string, ReviewWish]>([
    ['a pod with a good probe', { resource: pods, operation: 'CREATE', object: podObject(good) }],
    ['a pod without one', { resource: pods, operation: 'CREATE', object: podObject() }],
    [
      'a template without metadata',
      {
        resource: apps('deployments'),
        operation: 'CREATE',
        object: owner('Deployment', { template: { spec: { containers: [] } } }),
      },
    ],
    [
      'a pod that has had its mistake before',
      {
        resource: pods,
        operation: 'UPDATE',
        oldObject: podObject(bad),
        object: podObject({ ...bad, labels: { app: 'other' } }),
      },
    ],
    [
      'a pod that is going',
      { resource: pods, operation: 'UPDATE', oldObject: podObject(), object: podObject({ ...bad, ...going }) },
    ],
    ['a deletion', { resource: pods, operation: 'DELETE', oldObject: podObject(bad) }],
    [
      'a status',
      {
        resource: pods,
        operation: 'UPDATE',
        subResource: 'status',
        oldObject: podObject(),
        object: podObject(bad),
      },
    ],
  ])('%s', async (_, wish) => {
    expect(await answerTo(wish)).toMatchObject({ allowed: true });
  });

  it('a probe at the wrong place gets a warning', async () => {
    const object = owner('Deployment', { template: template({}) }, bad);
    expect(await answerTo({ resource: apps('deployments'), operation: 'CREATE', object })).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('move it to the metadata of the pod template')],
    });
  });

  it('and doubt means yes', () => {
    const review = readReview(Buffer.from(reviewText({ operation: 'CREATE', object: podObject(bad) })));
    if (!review.ok) throw new Error(review.problem);
    expect(probesHandler([]).inDoubt(review.request, 'late')).toEqual({ allowed: true });
  });
});

describe('a probe that names a host', () => {
  const probe = (host: string) => ({ annotations: { [key]: JSON.stringify({ tcpSocket: { port: 80, host } }) } });
  const running = (host: string, podIP: string) => ({ ...podObject(probe(host)), status: { podIP } });

  it.each<readonly [string, boolean, ReviewWish]>([
    ['of another machine', false, { resource: pods, operation: 'CREATE', object: podObject(probe('169.254.169.254')) }],
    ['by name', false, { resource: pods, operation: 'CREATE', object: podObject(probe('kubernetes.default')) }],
    [
      'in a template',
      false,
      {
        resource: apps('deployments'),
        operation: 'CREATE',
        object: owner('Deployment', { template: template(probe('10.0.0.1')) }),
      },
    ],
    ['that is empty', true, { resource: pods, operation: 'CREATE', object: podObject(probe('')) }],
    ['that is allowed', true, { resource: pods, operation: 'CREATE', object: podObject(probe('allowed.example')) }],
    [
      'that is its own address',
      true,
      { resource: pods, operation: 'UPDATE', object: running('10.0.0.7', '10.0.0.7'), oldObject: podObject({}) },
    ],
    [
      'that was stored before, when it is otherwise changed',
      true,
      {
        resource: pods,
        operation: 'UPDATE',
        object: running('10.0.0.1', '10.0.0.7'),
        oldObject: running('10.0.0.1', '10.0.0.7'),
      },
    ],
  ])('[A4] %s: allowed is %s', async (_, allowed, wish) => {
    const answer = await answerTo(wish);
    expect(answer.allowed).toBe(allowed);
    if (!answer.allowed) expect(JSON.stringify(answer)).toContain('agent.allowProbeHosts');
  });
});

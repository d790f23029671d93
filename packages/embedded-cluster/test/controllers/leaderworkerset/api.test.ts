import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatFieldError } from '../../../../base/src/field-errors.ts';
import { lwsCrd } from '../../../src/controllers/leaderworkerset/lws-crd.ts';
import type { LwsSpec } from '../../../src/controllers/leaderworkerset/lws-object.ts';
import type { Crd } from '../../../src/crd/crd.ts';
import { crdStrategy } from '../../../src/crd/crd-strategy.ts';
import { ApiError } from '../../../src/errors.ts';
import { schemaFor } from '../../../src/kinds/schema-link.ts';
import { prune } from '../../../src/schema/prune.ts';
import { VirtualClock } from '../../../src/time/virtual-clock.ts';
import { label, Setup, template } from './setup.ts';

let setup: Setup;
beforeEach(async () => {
  setup = new Setup();
  await setup.start();
});
afterEach(() => setup.stop());

async function refusal(write: Promise<unknown>): Promise<string> {
  try {
    await write;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

test('the CRD is one that a real server takes', () => {
  const crd = structuredClone(lwsCrd) as Crd;
  const context = { clock: new VirtualClock(), lookup: () => undefined };
  expect(prune(structuredClone(lwsCrd), schemaFor('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'))).toEqual(
    [],
  );
  crdStrategy.applyDefaults?.(crd);
  crdStrategy.prepareForCreate?.(crd, context);
  expect(crdStrategy.validate?.(crd, context).map(formatFieldError)).toEqual([]);
});

test('what is left open is filled in', async () => {
  const created = await setup.client.create('leaderworkerset.x-k8s.io/leaderworkersets', {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'llm', namespace: 'default' },
    spec: { leaderWorkerTemplate: { workerTemplate: template('app:1') } },
  });
  expect(created['spec']).toMatchObject({
    replicas: 1,
    startupPolicy: 'LeaderCreated',
    leaderWorkerTemplate: { size: 1, restartPolicy: 'RecreateGroupOnPodRestart' },
    rolloutStrategy: {
      type: 'RollingUpdate',
      rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
    },
    networkConfig: { subdomainPolicy: 'Shared' },
  });
});

describe('is refused', () => {
  const denied = '403 admission webhook "vleaderworkerset.kb.io" denied the request: ';
  const rolling = 'spec.rolloutStrategy.rollingUpdateConfiguration';
  const subGroup = 'spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize';
  const workerTemplate = template('app:1');
  const withSubGroups = (size: number, subGroupSize: number, subGroupPolicyType?: string): Partial<LwsSpec> => ({
    leaderWorkerTemplate: {
      size,
      workerTemplate,
      subGroupPolicy: { subGroupSize, ...(subGroupPolicyType ? { subGroupPolicyType } : {}) },
    },
  });
  const withRollout = (rollingUpdateConfiguration: object): Partial<LwsSpec> => ({
    rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration },
  });

  test.each<[string, Partial<LwsSpec>, string]>([
    [
      'a group without a leader',
      { leaderWorkerTemplate: { size: 0, workerTemplate } },
      'spec.leaderWorkerTemplate.size: Invalid value: 0: size must be equal or greater than 1',
    ],
    [
      'a rollout that could not move',
      withRollout({ maxUnavailable: 0, maxSurge: 0 }),
      `${rolling}.maxUnavailable: Invalid value: 0: must not be 0 when \`maxSurge\` is 0`,
    ],
    [
      'more than everything',
      withRollout({ maxUnavailable: '101%' }),
      `${rolling}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
    ],
    [
      'a partition below zero',
      withRollout({ partition: -1 }),
      `${rolling}.partition: Invalid value: -1: must be greater than or equal to 0`,
    ],
    [
      'sub groups of uneven size',
      withSubGroups(6, 4),
      `${subGroup}: Invalid value: 4: size or size - 1 must be divisible by subGroupSize`,
    ],
    [
      'sub groups that need the leader and exclude it',
      withSubGroups(4, 2, 'LeaderExcluded'),
      `${subGroup}: Invalid value: 2: size-1 must be divisible by subGroupSize when using LeaderExcluded`,
    ],
  ])('%s', async (_, spec, why) => {
    expect(await refusal(setup.create(spec))).toBe(`${denied}${why}`);
  });

  test('fewer groups than none, by the scale of the kind already', async () => {
    expect(await refusal(setup.create({ replicas: -1 }))).toBe(
      '422 LeaderWorkerSet.leaderworkerset.x-k8s.io "llm" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    );
  });

  test('more than one thing at once', async () => {
    const spec = { leaderWorkerTemplate: { size: 0, workerTemplate }, ...withRollout({ partition: -1 }) };
    const message = await refusal(setup.create(spec));
    expect(message).toContain(`${denied}[spec.leaderWorkerTemplate.size: `);
    expect(message).toMatch(/, spec\.rolloutStrategy\.rollingUpdateConfiguration\.partition: .*\]$/);
  });

  test('sub groups that come later', async () => {
    await setup.create({});
    const message = await refusal(
      setup.edit((spec) => {
        spec.leaderWorkerTemplate.subGroupPolicy = { subGroupSize: 2 };
      }),
    );
    expect(message).toBe(
      `${denied}${subGroup}: Invalid value: 2: cannot enable subGroupSize after the lws is already created`,
    );
  });
});

describe('pods that carry the name of a set', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stray', namespace: 'default', labels: { [label('name')]: 'llm' } },
    spec: { containers: [{ name: 'main', image: 'app' }] },
  };

  test('are refused when they do not know their group', async () => {
    expect(await refusal(setup.client.create('pods', pod))).toBe(
      '403 admission webhook "mpod.kb.io" denied the request: size annotation is unexpectedly missing for pod stray',
    );
  });

  test('are not validated where the API is not installed', async () => {
    await setup.client.delete('apiextensions.k8s.io/customresourcedefinitions', '', lwsCrd.metadata.name);
    await setup.clock.advance(5_000);
    expect(await refusal(setup.client.create('pods', pod))).toBe('accepted');
  });
});

import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import { describe, expect, it } from 'vitest';
import {
  agentsReadiness,
  allReady,
  definitionReadiness,
  deploymentReadiness,
  type InstallReadiness,
  trustReadiness,
} from '../../src/install/apply/readiness.ts';

const ready: InstallReadiness = { kind: 'ready' };

function deployment(status: NonNullable<Deployment['status']>): Deployment {
  return {
    metadata: { generation: 3 },
    spec: { replicas: 2, selector: {}, template: {} },
    status: { observedGeneration: 3, ...status },
  };
}

describe('the operator is available', () => {
  it.each<readonly [string, Deployment | undefined, InstallReadiness | string]>([
    [
      'with all replicas new and available',
      deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
      ready,
    ],
    ['not before a controller looked', deployment({ observedGeneration: 2 }), 'no controller has seen'],
    ['not by replicas of before', deployment({ replicas: 3, updatedReplicas: 1, availableReplicas: 2 }), '1 of 2 new'],
    [
      'not while old ones go',
      deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 3 }),
      '1 old replica of the operator still runs',
    ],
    ['not with one of two', deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 1 }), '1 of 2 replicas'],
    ['not without a status', { metadata: { generation: 1 } }, 'no controller has seen'],
    ['never when it is gone', undefined, 'was deleted during the installation'],
  ])('%s', (_, found, expected) => {
    const seen = deploymentReadiness(found);
    if (typeof expected === 'string') expect(seen).toMatchObject({ text: expect.stringContaining(expected) });
    else expect(seen).toEqual(expected);
    expect(seen.kind === 'never').toBe(found === undefined);
  });
});

describe('a definition is served', () => {
  const withConditions = (...conditions: readonly { type: string; status: string; message?: string }[]) => ({
    status: { conditions },
  });
  it.each<readonly [string, Parameters<typeof definitionReadiness>[1], InstallReadiness['kind']]>([
    ['when it is established', withConditions({ type: 'Established', status: 'True' }), 'ready'],
    ['not yet', withConditions({ type: 'Established', status: 'False' }), 'waiting'],
    ['not before its controller looked at it', {}, 'waiting'],
    ['never with names that are taken', withConditions({ type: 'NamesAccepted', status: 'False' }), 'never'],
  ])('%s', (_, found, kind) => {
    expect(definitionReadiness('crd/x', found).kind).toBe(kind);
  });
});

describe('webhooks are trusted', () => {
  const trusting = (...bundles: readonly (string | undefined)[]) => ({
    webhooks: bundles.map((caBundle) => ({ clientConfig: caBundle === undefined ? {} : { caBundle } })),
  });
  it.each<readonly [string, Parameters<typeof trustReadiness>[1], InstallReadiness['kind']]>([
    ['when all have a bundle', trusting('x', 'y'), 'ready'],
    ['not while one has none', trusting('x', undefined), 'waiting'],
    ['not with an empty one', trusting(''), 'waiting'],
    ['never when they are gone', undefined, 'never'],
  ])('%s', (_, found, kind) => {
    expect(trustReadiness('x', found).kind).toBe(kind);
  });
});

it('all are ready when each is, and one that never will be is told first', () => {
  const waiting: InstallReadiness = { kind: 'waiting', text: 'a' };
  const never: InstallReadiness = { kind: 'never', text: 'b' };
  expect(allReady([])).toEqual(ready);
  expect(allReady([ready, ready])).toEqual(ready);
  expect(allReady([ready, waiting])).toEqual(waiting);
  expect(allReady([waiting, never, ready])).toEqual(never);
});

describe('agents are available', () => {
  const agents = (status: Partial<NonNullable<DaemonSet['status']>>): DaemonSet => ({
    metadata: { generation: 3 },
    status: {
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      desiredNumberScheduled: 2,
      observedGeneration: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      ...status,
    },
  });

  it.each<readonly [string, DaemonSet | undefined, InstallReadiness | string]>([
    ['with a new one on every node', agents({}), ready],
    ['where there is no node', agents({ desiredNumberScheduled: 0, numberAvailable: 0 }), ready],
    ['not before a controller looked', agents({ observedGeneration: 2 }), 'no controller has seen'],
    ['not by those of before', agents({ updatedNumberScheduled: 1 }), '1 of 2 nodes have a new agent'],
    ['not with one of two', agents({ numberAvailable: 1 }), 'on 1 of 2 nodes an agent is available'],
    ['not without a status', { metadata: { generation: 1 } }, 'no controller has seen'],
    ['never when they are gone', undefined, 'was deleted during the installation'],
  ])('%s', (_, found, expected) => {
    const seen = agentsReadiness(found);
    if (typeof expected === 'string') expect(seen).toMatchObject({ text: expect.stringContaining(expected) });
    else expect(seen).toEqual(expected);
    expect(seen.kind === 'never').toBe(found === undefined);
  });
});

import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, aPod, ns } from '../../../../../test/support/builders.ts';
import type { Fields } from '../../../../base/src/json.ts';
import { type HealthFacts, healthChecks, type OperatorCheck } from '../../../src/cli/status/health.ts';
import { aNamespace, notRegistered, readAt, registered } from '../live-world.ts';

const dayMs = 86_400_000;
const forbidden = { kind: 'denied', why: 'leases is forbidden' } as const;
const absent = { kind: 'absent' } as const;

function facts(more: Partial<HealthFacts> = {}): HealthFacts {
  return {
    now: readAt,
    operatorNamespace: 'holdfast-system',
    registrations: registered(),
    deployment: {
      kind: 'found',
      object: {
        metadata: { generation: 1 },
        spec: { replicas: 2, selector: {}, template: {} },
        status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
      },
    },
    agents: absent,
    leader: leaderSince(2),
    unproven: { kind: 'read', items: [], resourceVersion: '1' },
    observed: { kind: 'read', items: [], resourceVersion: '1' },
    world: aWorld(),
    leases: new Map(),
    namespaces: new Map([[ns, aNamespace()]]),
    ...more,
  };
}

function leaderSince(seconds: number): HealthFacts['leader'] {
  const renewTime = new Date(readAt - seconds * 1_000).toISOString();
  return { kind: 'found', object: { spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime } } };
}

function sightings(...seconds: readonly number[]): HealthFacts['unproven'] {
  const message = 'the webhooks were called by others';
  return {
    kind: 'read',
    items: seconds.map((age) => ({ lastMs: readAt - age * 1_000, message })),
    resourceVersion: '1',
  };
}

function check(name: string, more: Partial<HealthFacts> = {}): OperatorCheck | undefined {
  return healthChecks(facts(more)).find((one) => one.check === name);
}

const webhooks = (one: Fields) => one['webhooks'] as Fields[];
const probed = aWorld({ pods: [aPod('db').probed('True')] });
const fresh = {
  node: 'node-1',
  holder: 'agent',
  durationSeconds: 40,
  pods: new Set<string>(),
  ageMs: 1,
  by: 'renewTime',
} as const;
const needsIt = aWorld({ pods: [aPod('a')], pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] });
const evictions = {
  metadata: { name: 'policy' },
  webhooks: [
    {
      name: 'policy.example.com',
      clientConfig: {},
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'] }],
    },
  ],
};
const kruise = {
  metadata: { name: 'kruise' },
  webhooks: [{ name: 'vpodunavailablebudget.kb.io', clientConfig: {}, rules: [] }],
};

describe("the operator's health", () => {
  it.each<readonly [string, string, Partial<HealthFacts>, OperatorCheck['state'], string]>([
    ['all is well', 'webhooks', {}, 'ok', 'registered and trusted'],
    [
      'no webhook is registered',
      'webhooks',
      { registrations: notRegistered },
      'warning',
      "Kubernetes' own check alone decides",
    ],
    [
      'the user may not see it',
      'webhooks',
      { registrations: { kind: 'unknown', why: 'forbidden' } },
      'unknown',
      'forbidden',
    ],
    [
      'it may be passed over',
      'webhooks',
      {
        registrations: registered((one) => ({
          ...one,
          webhooks: webhooks(one).map((w) => ({ ...w, failurePolicy: 'Ignore' })),
        })),
      },
      'failed',
      'failurePolicy Ignore',
    ],
    [
      'no authority is trusted',
      'webhooks',
      {
        registrations: registered((one) => ({
          ...one,
          webhooks: webhooks(one).map((w) => ({ ...w, clientConfig: {} })),
        })),
      },
      'failed',
      'no caBundle',
    ],
    ['[I13] no other client called', 'callers', {}, 'ok', 'API servers prove their identity'],
    [
      '[I13] others called',
      'callers',
      { unproven: sightings(90, 30) },
      'warning',
      'the webhooks were called by others (last seen 30s ago)',
    ],
    ['[I13] the user may not see events', 'callers', { unproven: forbidden }, 'unknown', 'forbidden'],
    [
      '[I13] paths can be guessed',
      'callers',
      {
        registrations: registered((one) => ({
          ...one,
          webhooks: webhooks(one).map((w) => ({
            ...w,
            clientConfig: { caBundle: 'eA==', service: { name: 'holdfast', path: '/pods' } },
          })),
        })),
      },
      'warning',
      'any pod can guess the paths',
    ],
    ['all is well', 'certificates', {}, 'ok', 'expires on 20'],
    ['they end soon', 'certificates', { now: readAt + 727 * dayMs }, 'warning', 'expires on 20'],
    ['they have ended', 'certificates', { now: readAt + 5_000 * dayMs }, 'failed', 'expired on 20'],
    [
      'there are none',
      'certificates',
      {
        registrations: registered((one) => ({
          ...one,
          webhooks: webhooks(one).map((w) => ({ ...w, clientConfig: {} })),
        })),
      },
      'failed',
      'no CA certificate',
    ],
    ['all is well', 'operator', {}, 'ok', 'all replicas'],
    [
      'a replica is missing',
      'operator',
      { deployment: { kind: 'found', object: { spec: { replicas: 2, selector: {}, template: {} } } } },
      'failed',
      '0 of 2',
    ],
    ['it runs elsewhere', 'operator', { deployment: absent }, 'ok', 'running outside the cluster'],
    ['it runs nowhere', 'operator', { deployment: absent, leader: absent }, 'failed', 'no Deployment'],
    ['the user may not see it', 'operator', { deployment: forbidden }, 'unknown', 'forbidden'],
    ['all is well', 'leader', {}, 'ok', 'a, renewed 2s ago'],
    [
      'it runs nowhere that the user may look',
      'operator',
      { registrations: { kind: 'unknown', why: 'forbidden' }, deployment: absent, leader: absent },
      'unknown',
      'cannot be seen',
    ],
    [
      'it leads nowhere that the user may look',
      'leader',
      { registrations: { kind: 'unknown', why: 'forbidden' }, leader: absent },
      'unknown',
      'cannot be seen',
    ],
    ['no replica leads', 'leader', { leader: absent }, 'failed', 'no replica leads'],
    ['the leader is silent', 'leader', { leader: leaderSince(60) }, 'failed', 'renewed 60s ago, which is too long'],
    ['the user may not see it', 'leader', { leader: forbidden }, 'unknown', 'forbidden'],
    ['no pod needs one', 'agents', {}, 'ok', 'no pod in view has a disruption probe'],
    [
      'they run elsewhere',
      'agents',
      { world: probed, leases: new Map([['node-1', { ...fresh, state: 'fresh' }]]) },
      'ok',
      'leases of 1 node are fresh',
    ],
    [
      'one is silent',
      'agents',
      { world: probed, leases: new Map([['node-1', { ...fresh, state: 'expired' }]]) },
      'failed',
      'no agent runs the probes of pods on node-1',
    ],
    ['nothing needs it', 'guard', {}, 'ok', 'nothing in view needs it'],
    ['it is on', 'guard', { world: needsIt }, 'ok', 'on: shop'],
    [
      'it is missing',
      'guard',
      { world: needsIt, namespaces: new Map([[ns, aNamespace({})]]) },
      'warning',
      'shop: the namespace has no label',
    ],
    [
      'the user may not see it',
      'guard',
      { world: needsIt, namespaces: new Map() },
      'unknown',
      'namespaces cannot be read: shop',
    ],
    [
      'others are asked',
      'other webhooks',
      { registrations: registered(undefined, [evictions]) },
      'warning',
      'policy.example.com',
    ],
    ['Kruise is there', 'kruise', { registrations: registered(undefined, [kruise]) }, 'warning', 'leaves them to it'],
  ])('where %s: %s', (_, name, more, state, detail) => {
    const found = check(name, more);
    expect(found?.state).toBe(state);
    expect(found?.detail).toContain(detail);
  });

  it('says nothing about others where there are none', () => {
    expect(check('other webhooks')).toBeUndefined();
    expect(check('kruise')).toBeUndefined();
  });

  it('says nothing about parts of an operator that is not there', () => {
    expect(healthChecks(facts({ registrations: notRegistered })).map((one) => one.check)).toEqual(['webhooks']);
  });
});

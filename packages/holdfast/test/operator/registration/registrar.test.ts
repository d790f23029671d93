import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../../base/src/json.ts';
import { answeredPaths, emptyConfigurations } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../../src/install/values/values.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import { registrarRound } from '../../../src/operator/registration/registrar.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { logInto } from '../certificates/support.ts';

/** An API server that keeps three objects. */
class Objects {
  readonly kept = new Map<string, unknown>();
  readonly writes: string[] = [];

  get client(): Pick<KubeClient, 'get' | 'replace'> {
    const get = (resource: { readonly plural: string }) => {
      const found = this.kept.get(resource.plural);
      return Promise.resolve(found === undefined ? failed({ kind: 'notFound', message: 'none' }) : succeeded(found));
    };
    const replace = (resource: { readonly plural: string }, _: unknown, body: unknown) => {
      this.kept.set(resource.plural, body);
      this.writes.push(resource.plural);
      return Promise.resolve(succeeded(body));
    };
    // Safe: the round asks nothing else of a client.
    return { get, replace } as unknown as Pick<KubeClient, 'get' | 'replace'>;
  }
}

const [validating, mutating] = emptyConfigurations(defaultInstallValues);

function deployment(status: Fields): Fields {
  return { metadata: { generation: 1 }, spec: { replicas: 3 }, status: { observedGeneration: 1, ...status } };
}

const available = deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });

function clusterOf(parts: Readonly<Record<string, unknown>>): Objects {
  const objects = new Objects();
  for (const [plural, object] of Object.entries(parts)) objects.kept.set(plural, object);
  return objects;
}

const configurations = { validatingwebhookconfigurations: validating, mutatingwebhookconfigurations: mutating };

function round(objects: Objects) {
  const options = {
    client: objects.client,
    clock: new TestClock(),
    log: logInto([]),
    values: defaultInstallValues,
    paths: answeredPaths,
    segment: () => undefined,
  };
  return registrarRound(options, new AbortController().signal);
}

describe('the registrar', () => {
  it('fills both configurations when every replica is available, once', async () => {
    const objects = clusterOf({ ...configurations, deployments: available });
    expect(await round(objects)).toEqual({ kind: 'registered', written: 2 });
    expect(await round(objects)).toEqual({ kind: 'registered', written: 0 });
    expect(objects.writes).toHaveLength(2);
  });

  it.each([
    ['a replica is not available', deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 2 })],
    ['a replica is of an earlier version', deployment({ replicas: 4, updatedReplicas: 3, availableReplicas: 4 })],
    ['no controller has seen the Deployment', { metadata: { generation: 2 }, spec: { replicas: 3 }, status: {} }],
  ])('writes nothing while %s', async (_, found) => {
    const objects = clusterOf({ ...configurations, deployments: found });
    expect(await round(objects)).toMatchObject({ kind: 'waiting' });
    expect(objects.writes).toEqual([]);
  });

  it('creates no configuration: where one was deleted, protection is off for good', async () => {
    const objects = clusterOf({ deployments: available });
    expect(await round(objects)).toEqual({ kind: 'registered', written: 0 });
    expect(objects.writes).toEqual([]);
  });

  it('says what the API server says', async () => {
    const denied: Outcome<never> = failed({ kind: 'denied', message: 'not you' });
    const objects = clusterOf({ ...configurations, deployments: available });
    const client = { ...objects.client, replace: () => Promise.resolve(denied) } as unknown as KubeClient;
    const options = { client, clock: new TestClock(), log: logInto([]), values: defaultInstallValues };
    const signal = new AbortController().signal;
    expect(await registrarRound({ ...options, paths: answeredPaths, segment: () => undefined }, signal)).toMatchObject({
      kind: 'failed',
      failure: { message: 'not you' },
    });
  });
});

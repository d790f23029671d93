import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from 'kubernetes-types/admissionregistration/v1.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import { operatorName, webhookPaths } from '../../../src/api/installation-names.ts';
import { answeredPaths, webhookConfigurations } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../../src/install/values/values.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { type Failure, failed, succeeded } from '../../../src/kube/outcome/failure.ts';
import { resources } from '../../../src/observe/resources.ts';
import { registerWebhooks } from '../../../src/operator/registration/register.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import {
  type Bed,
  forgetAll,
  logInto,
  readConfiguration,
  register,
  startBed,
  urlValues,
} from '../certificates/support.ts';

const url = 'https://127.0.0.1:9443';
const allPaths: ReadonlySet<string> = new Set(Object.values(webhookPaths));
const place = { name: operatorName };
let bed: Bed;

beforeAll(async () => {
  bed = await startBed();
});

afterAll(() => bed?.close());

beforeEach(() => forgetAll(bed));

async function trust(caBundle: string): Promise<void> {
  const { webhooks = [], ...rest } = await readConfiguration(bed);
  const trusting = webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }));
  unwrap(await bed.admin.replace(resources.validating, place, { ...rest, webhooks: trusting }));
}

const otherBundle = Buffer.from(
  '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUTkI=\n-----END CERTIFICATE-----\n',
).toString('base64');

describe('registering by URL', () => {
  it('makes API servers call every path that has a handler, and no other', async () => {
    const judging = new Set([webhookPaths.pods, webhookPaths.budgets]);
    expect(await register(bed.admin, url, judging)).toEqual({ kind: 'registered' });
    const { webhooks = [] } = await readConfiguration(bed);
    expect(webhooks.map(({ name, clientConfig }) => `${name} ${clientConfig.url}`)).toEqual([
      'eviction.holdfast.dev https://127.0.0.1:9443/pods',
      'deletion.holdfast.dev https://127.0.0.1:9443/pods',
      'update.holdfast.dev https://127.0.0.1:9443/pods',
      'announcement.holdfast.dev https://127.0.0.1:9443/pods',
      'budgets.holdfast.dev https://127.0.0.1:9443/podunavailablebudgets',
      'eviction.observe.holdfast.dev https://127.0.0.1:9443/pods',
      'deletion.observe.holdfast.dev https://127.0.0.1:9443/pods',
      'update.observe.holdfast.dev https://127.0.0.1:9443/pods',
      'announcement.observe.holdfast.dev https://127.0.0.1:9443/pods',
      'budgets.observe.holdfast.dev https://127.0.0.1:9443/podunavailablebudgets',
    ]);
    expect(webhooks.slice(0, 5).every(({ failurePolicy }) => failurePolicy === 'Fail')).toBe(true);
    expect(await bed.admin.get(resources.mutating, place)).toMatchObject({ failure: { kind: 'notFound' } });
    expect(await register(bed.admin, url, allPaths)).toEqual({ kind: 'registered' });
    expect((await readConfiguration(bed)).webhooks).toHaveLength(11);
    const mutating = unwrap(await bed.admin.get<MutatingWebhookConfiguration>(resources.mutating, place));
    expect(mutating.webhooks).toMatchObject([
      { clientConfig: { url: `${url}/statefulsets` } },
      { clientConfig: { url: `${url}/statefulsets` } },
      { clientConfig: { url: `${url}/evictions` } },
      { clientConfig: { url: `${url}/poddisruptionbudgets` } },
    ]);
  });

  it('twice, and by several at once, changes nothing', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => register(bed.admin, url)));
    expect(all).toEqual(Array.from({ length: 6 }, () => ({ kind: 'registered' })));
    const before = (await readConfiguration(bed)).metadata;
    await register(bed.admin, url);
    expect((await readConfiguration(bed)).metadata?.resourceVersion).toBe(before?.resourceVersion);
  });

  it('again leaves whom to trust as it is, with the same URL and with another', async () => {
    await register(bed.admin, url);
    await trust(otherBundle);
    for (const again of [url, 'https://balancer.example:8443']) {
      expect(await register(bed.admin, again)).toEqual({ kind: 'registered' });
      const { webhooks = [] } = await readConfiguration(bed);
      expect(webhooks.map(({ clientConfig }) => clientConfig.caBundle)).toEqual(webhooks.map(() => otherBundle));
      expect(webhooks[0]?.clientConfig.url).toBe(`${again}/pods`);
    }
  });

  it('takes back what a person has changed by hand', async () => {
    await register(bed.admin, url);
    const { webhooks = [], ...rest } = await readConfiguration(bed);
    const ignoring = webhooks.map((one) => ({ ...one, failurePolicy: 'Ignore' }));
    unwrap(await bed.admin.replace(resources.validating, place, { ...rest, webhooks: ignoring }));
    await register(bed.admin, url);
    const after = await readConfiguration(bed);
    const policies = (list: typeof webhooks) => list.map(({ failurePolicy }) => failurePolicy);
    expect(policies(webhooks)).toContain('Fail');
    expect(policies(after.webhooks ?? [])).toEqual(policies(webhooks));
  });

  it('does not turn away the webhooks of an installation in the cluster', async () => {
    const [installed] = webhookConfigurations(defaultInstallValues, answeredPaths);
    unwrap(await bed.admin.create<ValidatingWebhookConfiguration>(resources.validating, {}, installed ?? {}));
    expect(await register(bed.admin, url)).toEqual({
      kind: 'refused',
      problem: expect.stringMatching(/rejected .*an installed one that calls a Service.*exactly one of url or service/),
    });
    const { webhooks = [] } = await readConfiguration(bed);
    expect(webhooks[0]?.clientConfig).toMatchObject({ service: { name: 'holdfast' } });
  });

  it('says what is missing where it is not allowed', async () => {
    expect(await register(bed.clientsAs('jane').upkeep, url)).toEqual({
      kind: 'refused',
      problem: expect.stringMatching(
        /needs the right to create and patch ValidatingWebhookConfiguration "holdfast": .*"jane" cannot patch/,
      ),
    });
  });
});

describe('an API server that is away', () => {
  const away: Failure = {
    kind: 'retry',
    cause: 'connection',
    message: 'connect ECONNREFUSED',
    retryAfterMs: undefined,
    maybeDone: false,
  };

  function begin(failures: Failure[]) {
    const clock = new TestClock();
    const stopping = new AbortController();
    const lines: string[] = [];
    const answer = () => {
      const failure = failures.shift();
      return Promise.resolve(failure === undefined ? succeeded({}) : failed(failure));
    };
    const registering = registerWebhooks({
      client: { patch: answer } as unknown as KubeClient,
      clock,
      random: () => 0.5,
      log: logInto(lines),
      values: urlValues(url),
      paths: answeredPaths,
      signal: stopping.signal,
    });
    return { clock, stopping, lines, registering };
  }

  it('is waited for', async () => {
    const { clock, lines, registering } = begin([away, { ...away, retryAfterMs: 60_000 }, away]);
    await clock.advance(50_000);
    expect(lines).toHaveLength(2);
    await clock.advance(60_000);
    expect(await registering).toEqual({ kind: 'registered' });
  });

  it('is not waited for by one who is stopped', async () => {
    const { clock, stopping, registering } = begin(Array.from({ length: 100 }, () => away));
    await clock.advance(10_000);
    stopping.abort();
    expect(await registering).toEqual({ kind: 'stopped' });
  });
});

import type { Secret } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { pathSecret } from '../../packages/holdfast/src/api/installation-names.ts';
import { answeredPaths, webhookConfigurations } from '../../packages/holdfast/src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { resources } from '../../packages/holdfast/src/observe/resources.ts';
import { segmentsOf } from '../../packages/holdfast/src/trust/webhook-trust.ts';
import {
  type Bed,
  bedOn,
  eventually,
  forgetAll,
  readConfiguration,
  secretPlace,
  startPathReplica,
} from '../../packages/holdfast/test/operator/certificates/support.ts';
import { testCluster } from '../support/cluster.ts';
import { unwrap } from '../support/unwrap.ts';

const caBundle = createPki({ clock: realClock }).material.caCertificate;
const values = {
  ...defaultInstallValues,
  certificates: { source: 'secret', secretName: 'given' } as const,
  webhook: { ...defaultInstallValues.webhook, caBundle },
};
const cluster = await testCluster();
let bed: Bed;

beforeAll(async () => {
  bed = await bedOn(cluster.kubeconfig, values);
  await forgetAll(bed);
  for (const configuration of webhookConfigurations(values, answeredPaths)) {
    const mutating = configuration.kind === 'MutatingWebhookConfiguration';
    unwrap(await bed.admin.create(mutating ? resources.mutating : resources.validating, {}, configuration));
  }
});
afterAll(async () => {
  await forgetAll(bed);
  await bed.admin.delete(resources.secrets, { ...secretPlace, name: pathSecret });
  await bed.close();
  await cluster.close();
});

it('[I13] where others make the certificates, the leader keeps the paths, and whom to trust stays as it is', async () => {
  const upkeep = startPathReplica(bed);
  const stopping = new AbortController();
  const leading = upkeep.lead(stopping.signal);
  try {
    await eventually(async () => !segmentsOf(await readConfiguration(bed)).includes(''), 'a path');
    const { webhooks = [] } = await readConfiguration(bed);
    const given = Buffer.from(caBundle).toString('base64');
    expect(webhooks.map(({ clientConfig }) => clientConfig.caBundle)).toEqual(webhooks.map(() => given));
    const [segment = ''] = segmentsOf({ webhooks });
    await eventually(() => upkeep.paths.current() === segment, 'the path to be known');
    expect([upkeep.paths.accepts(segment), upkeep.paths.accepts('')]).toEqual([true, true]);
    const place = { ...secretPlace, name: pathSecret };
    const secret = unwrap(await bed.admin.get<Secret>(resources.secrets, place));
    expect(Object.keys(secret.data ?? {})).toEqual(['paths']);
  } finally {
    stopping.abort();
    await leading;
    await upkeep.close();
  }
});

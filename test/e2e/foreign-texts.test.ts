import { afterAll, describe, expect, it } from 'vitest';
import { startWebhookServer } from '../../packages/embedded-cluster/test/admission/webhook-server.ts';
import { made } from '../support/cluster.ts';
import { addForeignWebhook } from './support/foreign-webhook.ts';
import { holdfast, type Result } from './support/holdfast-process.ts';
import { addNode } from './support/nodes.ts';
import { pod } from './support/objects.ts';
import { contentTypes, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const foreign = await startWebhookServer();
afterAll(() => foreign.close());
if (skipped) await foreign.close();

/** Sets the title of a window, clears the screen, writes over the line, and turns the direction of what follows. */
const evil = 'sorry\u001b]0;owned\u0007\u001b[2J\u009b31m\rall is well\u202e';
const shown = 'all is well';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function expectHarmless({ out, err }: Result): void {
  expect(out + err).toContain(shown);
  expect(out).not.toMatch(obeyed);
  expect(err).not.toMatch(obeyed);
}

describe.skipIf(skipped)('[I12] what others wrote reaches a terminal without control characters', () => {
  it('a refusal of another webhook, in drain and in explain', async () => {
    const node = await addNode(cluster, 'refused');
    const scene = await sceneIn(cluster);
    await scene.addPods(pod('web', { node }));
    const refuse = () => ({ allowed: false, status: { code: 403, message: evil } });
    const rules = [{ operations: ['CREATE'], resources: ['pods/eviction'] }];
    const remove = await addForeignWebhook(scene, foreign, { name: 'evil', rules, handler: refuse });
    try {
      await waitUntil(
        'the webhook refuses',
        () => scene.evict('web', {}, '?dryRun=All'),
        ({ code }) => code === 403,
      );
      const drained = await holdfast(cluster.kubeconfig, 'drain', node, '--force', '--timeout', '3s');
      expectHarmless(drained);
      expectHarmless(await holdfast(cluster.kubeconfig, 'explain', 'pod/web', '-n', scene.namespace));
    } finally {
      await remove();
    }
  });

  it('a condition that an application or a person wrote, for people and for programs', async () => {
    const node = await addNode(cluster, 'said');
    const scene = await sceneIn(cluster);
    const probe = JSON.stringify({ exec: { command: ['ask'] } });
    await scene.addPods(pod('db', { node, annotations: { 'holdfast.dev/disruption-probe': probe } }));
    const body = { status: { conditions: [{ type: 'Disruptable', status: 'False', reason: 'No', message: evil }] } };
    const path = `/api/v1/namespaces/${scene.namespace}/pods/db/status`;
    await made(cluster.request('PATCH', path, { contentType: contentTypes.strategic, body }));
    for (const output of [[], ['-o', 'json'], ['-o', 'yaml']]) {
      expectHarmless(await holdfast(cluster.kubeconfig, 'explain', 'pod/db', '-n', scene.namespace, ...output));
    }
  });
});

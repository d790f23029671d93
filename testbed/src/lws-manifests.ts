import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { folderOf, originOf } from './modules.ts';

/** Names in the cache, and where they are in the module. */
const files = {
  'lws-crd.yaml': 'config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml',
  'lws-webhooks.yaml': 'config/webhook/manifests.yaml',
} as const;

/** Beside the program that they belong to, because the module may be gone when it runs. */
export function keepLwsManifests(go: string, folder: string): void {
  const list = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', originOf('lws')];
  const { status, stdout, stderr } = spawnSync(go, list, { cwd: folderOf('lws'), encoding: 'utf8' });
  if (status !== 0) throw new Error(`go cannot say where the module of LeaderWorkerSet is: ${stderr}`);
  for (const [name, source] of Object.entries(files)) copyFileSync(join(stdout.trim(), source), join(folder, name));
}

export interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly Webhook[];
}

interface Webhook {
  readonly clientConfig: { readonly service?: { readonly path?: string } };
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

export function lwsDefinition(folder: string): unknown {
  return parse(readFileSync(join(folder, 'lws-crd.yaml'), 'utf8'));
}

/** As its own deployment registers them, except that they are called on loopback. */
export function lwsWebhooks(folder: string, server: { readonly port: number; readonly ca: string }) {
  const text = readFileSync(join(folder, 'lws-webhooks.yaml'), 'utf8');
  return parseAllDocuments(text)
    .map((document) => document.toJS() as WebhookConfiguration | null)
    .filter((one) => one !== null)
    .map((configuration) => onLoopback(configuration, server));
}

export function onLoopback(
  configuration: WebhookConfiguration,
  server: { readonly port: number; readonly ca: string },
) {
  const caBundle = Buffer.from(server.ca).toString('base64');
  return {
    ...configuration,
    metadata: { name: `lws-${configuration.metadata.name}` },
    webhooks: configuration.webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { url: `https://127.0.0.1:${server.port}${webhook.clientConfig.service?.path ?? ''}`, caBundle },
      ...(concernsPods(webhook) ? { objectSelector: podsOfSets } : {}),
    })),
  };
}

const podsOfSets = { matchExpressions: [{ key: 'leaderworkerset.sigs.k8s.io/name', operator: 'Exists' }] };

function concernsPods(webhook: Webhook): boolean {
  return webhook.rules.some(({ resources }) => resources.includes('pods'));
}

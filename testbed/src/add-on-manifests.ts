import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { AddOn } from './add-ons.ts';
import { folderOf, originOf } from './modules.ts';

/** Beside the program that they belong to, because the module may be gone when it runs. */
export function keepManifests({ key, title, manifests }: AddOn, go: string, folder: string): void {
  const list = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', originOf(key)];
  const { status, stdout, stderr } = spawnSync(go, list, { cwd: folderOf(key), encoding: 'utf8' });
  if (status !== 0) throw new Error(`go cannot say where the module of ${title} is: ${stderr}`);
  for (const [name, source] of Object.entries(manifests)) {
    copyFileSync(join(stdout.trim(), source), join(folder, `${key}-${name}.yaml`));
  }
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

export function definitionOf({ key }: AddOn, folder: string): unknown {
  return parse(readFileSync(join(folder, `${key}-crd.yaml`), 'utf8'));
}

export interface WebhookServer {
  readonly port: number;
  readonly ca: string;
}

/** As its own deployment registers them, except that they are called on loopback. */
export function webhooksOf(addOn: AddOn, folder: string, server: WebhookServer) {
  const text = readFileSync(join(folder, `${addOn.key}-webhooks.yaml`), 'utf8');
  return parseAllDocuments(text)
    .map((document) => document.toJS() as WebhookConfiguration | null)
    .filter((one) => one !== null)
    .map((configuration) => onLoopback(addOn, configuration, server));
}

export function onLoopback({ key, podLabel }: AddOn, configuration: WebhookConfiguration, server: WebhookServer) {
  const objectSelector = { matchExpressions: [{ key: podLabel, operator: 'Exists' }] };
  const caBundle = Buffer.from(server.ca).toString('base64');
  return {
    ...configuration,
    metadata: { name: `${key}-${configuration.metadata.name}` },
    webhooks: configuration.webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { url: `https://127.0.0.1:${server.port}${webhook.clientConfig.service?.path ?? ''}`, caBundle },
      ...(concernsPods(webhook) ? { objectSelector } : {}),
    })),
  };
}

function concernsPods(webhook: Webhook): boolean {
  return webhook.rules.some(({ resources }) => resources.includes('pods'));
}

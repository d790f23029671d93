import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { AddOn } from './add-ons.ts';
import { moduleSource } from './go.ts';
import { folderOf, originOf } from './modules.ts';

/** Beside the program that they belong to, because the module may be gone when it runs. */
export function keepManifests({ key, manifests }: AddOn, go: string, folder: string): void {
  const source = moduleSource(go, folderOf(key), originOf(key));
  for (const [name, path] of Object.entries(manifests)) {
    writeFileSync(join(folder, `${key}-${name}.yaml`), textOf(join(source, path)));
  }
}

/** Of a file, or of all files in a folder. */
function textOf(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
  const names = readdirSync(path).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => readFileSync(join(path, name), 'utf8')).join('\n---\n');
}

export interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly Webhook[];
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service?: { readonly path?: string } };
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

/** What is laid over the configuration of the same kind. */
export interface WebhookPatch {
  readonly kind: string;
  readonly webhooks: readonly { readonly name: string }[];
}

export function definitionsOf({ key }: AddOn, folder: string): readonly object[] {
  return documentsIn<object>(folder, `${key}-crd`);
}

export interface WebhookServer {
  readonly port: number;
  readonly ca: string;
}

/** As its own deployment registers them, except that they are called on loopback. */
export function webhooksOf(addOn: AddOn, folder: string, server: WebhookServer) {
  const { key, manifests } = addOn;
  const patches = manifests.webhookPatches && documentsIn<WebhookPatch>(folder, `${key}-webhookPatches`);
  return documentsIn<WebhookConfiguration>(folder, `${key}-webhooks`)
    .map((configuration) => patched(configuration, patches || []))
    .map((configuration) => onLoopback(addOn, configuration, server));
}

function documentsIn<Document>(folder: string, name: string): readonly Document[] {
  return parseAllDocuments(readFileSync(join(folder, `${name}.yaml`), 'utf8'))
    .map((document) => document.toJS() as Document | null)
    .filter((one) => one !== null);
}

export function patched(configuration: WebhookConfiguration, patches: readonly WebhookPatch[]): WebhookConfiguration {
  const more = patches.filter(({ kind }) => kind === configuration.kind).flatMap(({ webhooks }) => webhooks);
  const webhooks = configuration.webhooks.map((webhook) => ({
    ...webhook,
    ...more.find(({ name }) => name === webhook.name),
  }));
  return { ...configuration, webhooks };
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
      ...(podLabel !== undefined && concernsPods(webhook) ? { objectSelector } : {}),
    })),
  };
}

function concernsPods(webhook: Webhook): boolean {
  return webhook.rules.some(({ resources }) => resources.includes('pods'));
}

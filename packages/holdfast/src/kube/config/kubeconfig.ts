import { readDocuments } from '@holdfast/base/bounded-yaml';
import { type Fields, isObject, isUnset } from '@holdfast/base/json';
import { type Access, ConfigError } from './access.ts';
import { fieldsOf, flagOf, listOf, textOf } from './fields.ts';
import { userSettings } from './kubeconfig-user.ts';
import { proxyUrl } from './proxy.ts';
import { type Entry, sourceOf } from './sources.ts';

export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

/** Reads one file's text. Throws a ConfigError. */
export function parseKubeconfig(text: string, directory: string): Kubeconfig {
  const [document] = readDocuments(text);
  if (document === undefined) return emptyKubeconfig;
  if (!document.ok) throw new ConfigError(document.problem);
  if (isUnset(document.value)) return emptyKubeconfig;
  if (!isObject(document.value)) throw new ConfigError('a kubeconfig is an object');
  const current = textOf(document.value, 'current-context');
  return {
    currentContext: current === '' ? undefined : current,
    clusters: entries(document.value, 'clusters', 'cluster', directory),
    users: entries(document.value, 'users', 'user', directory),
    contexts: entries(document.value, 'contexts', 'context', directory),
  };
}

const emptyKubeconfig: Kubeconfig = {
  currentContext: undefined,
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
};

function entries(source: Fields, list: string, what: string, directory: string): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const item of listOf(source, list)) {
    const name = isObject(item) ? textOf(item, 'name') : undefined;
    if (name === undefined || !isObject(item)) throw new ConfigError(`each of ${list} has a name`);
    if (!found.has(name)) found.set(name, { fields: fieldsOf(item, what) ?? {}, directory });
  }
  return found;
}

/** The first file that has something wins, entry by entry; nothing of a later entry of the same name is used. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const merged = (pick: (file: Kubeconfig) => ReadonlyMap<string, Entry>) =>
    new Map(files.toReversed().flatMap((file) => [...pick(file)]));
  return {
    currentContext: files.find((file) => file.currentContext !== undefined)?.currentContext,
    clusters: merged((file) => file.clusters),
    users: merged((file) => file.users),
    contexts: merged((file) => file.contexts),
  };
}

/** What a context, or the current one, means. Throws a ConfigError. */
export function accessOf(config: Kubeconfig, wanted?: string): Access {
  const name = wanted ?? config.currentContext;
  if (name === undefined) throw new ConfigError('no context is selected: set current-context, or name one');
  const context = config.contexts.get(name);
  if (context === undefined) throw new ConfigError(`context ${JSON.stringify(name)} does not exist`);
  const clusterName = textOf(context.fields, 'cluster') ?? '';
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) throw new ConfigError(`cluster ${JSON.stringify(clusterName)} does not exist`);
  const userName = textOf(context.fields, 'user') ?? '';
  const user = config.users.get(userName);
  if (user === undefined && userName !== '') throw new ConfigError(`user ${JSON.stringify(userName)} does not exist`);
  return {
    ...clusterSettings(cluster, clusterName),
    user: userSettings(user ?? { fields: {}, directory: '' }),
    namespace: textOf(context.fields, 'namespace') || 'default',
    source: `context ${JSON.stringify(name)}`,
  };
}

function clusterSettings({ fields, directory }: Entry, name: string): Omit<Access, 'user' | 'namespace'> {
  const proxy = textOf(fields, 'proxy-url') ?? '';
  const verify = !flagOf(fields, 'insecure-skip-tls-verify');
  const ca = sourceOf(fields, 'certificate-authority', directory);
  if (!verify && ca !== undefined) {
    throw new ConfigError('certificate-authority and insecure-skip-tls-verify exclude each other: remove one of them');
  }
  return {
    server: serverUrl(textOf(fields, 'server'), name),
    serverName: textOf(fields, 'tls-server-name'),
    verify,
    ca,
    ...(proxy === '' ? {} : { proxy: proxyUrl(proxy, `proxy-url of cluster ${JSON.stringify(name)}`) }),
  };
}

function serverUrl(text: string | undefined, cluster: string): URL {
  const source = text === undefined || text === '' ? 'http://localhost:8080' : text;
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ConfigError(`the server of cluster ${JSON.stringify(cluster)} is not an http or https URL: ${source}`);
  }
  return url;
}

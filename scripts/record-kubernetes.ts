// Records the schemas, the discovery and the table columns of a real API server for the embedded cluster.
//
//   npx tsx scripts/record-kubernetes.ts --kubeconfig FILE [--context NAME] [--verify]
//
// The server must serve scheduling.k8s.io v1beta1 and v1alpha3 (feature gate GenericWorkload). With --verify nothing is
// written: the command fails, naming the files in which the server and the recorded data differ.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import type {
  RecordedColumn,
  RecordedDiscovery,
  RecordedVersion,
} from '../packages/embedded-cluster/src/kinds/recorded.ts';
import { isServed } from '../packages/embedded-cluster/src/kinds/served.ts';
import {
  type ApiResource,
  discoveryText,
  entryPerLine,
  type GroupVersionResources,
  recordColumns,
  recordDefinitions,
  recordDiscovery,
} from './kubernetes-recording.ts';

type Get = (path: string, accept?: string) => Promise<Record<string, unknown>>;

interface Credentials {
  readonly server: string;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly token: string | undefined;
}

const dataFolder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages/embedded-cluster/src/kinds/data');
const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const { values: options } = parseArgs({
  options: { kubeconfig: { type: 'string' }, context: { type: 'string' }, verify: { type: 'boolean', default: false } },
});
if (options.kubeconfig === undefined) throw new Error('--kubeconfig FILE is required');

const files = await record(client(readCredentials(options.kubeconfig, options.context)));
if (options.verify) verify(files);
else write(files);

async function record(get: Get): Promise<ReadonlyMap<string, string>> {
  const answers = await readResources(get);
  const discovery = recordDiscovery(await readVersion(get), answers);
  const definitions = recordDefinitions(await readDocuments(get, discovery), discovery);
  return new Map([
    ['schemas.json', entryPerLine(definitions)],
    ['discovery.json', discoveryText(discovery)],
    ['tables.json', entryPerLine(await readTables(get, discovery))],
  ]);
}

async function readVersion(get: Get): Promise<RecordedVersion> {
  const { major, minor, gitVersion } = (await get('/version')) as Record<string, string>;
  return { major: major ?? '', minor: minor ?? '', gitVersion: gitVersion ?? '' };
}

async function readResources(get: Get): Promise<GroupVersionResources[]> {
  const { versions } = (await get('/api')) as { versions: readonly string[] };
  const { groups } = (await get('/apis')) as {
    groups: readonly { name: string; versions: readonly { version: string }[] }[];
  };
  const wanted = [
    ...versions.map((version) => ({ group: '', version })),
    ...groups.flatMap(({ name, versions: of }) => of.map(({ version }) => ({ group: name, version }))),
  ];
  return Promise.all(
    wanted.map(async ({ group, version }) => {
      const { resources } = (await get(pathOf(group, version))) as { resources: readonly ApiResource[] };
      return { group, version, resources };
    }),
  );
}

async function readDocuments(get: Get, { groups }: RecordedDiscovery): Promise<Record<string, unknown>[]> {
  const { paths } = (await get('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
  const wanted = groups.flatMap(({ group, versions }) =>
    versions.map(({ version }) => pathOf(group, version).slice(1)),
  );
  return Promise.all(
    wanted.map((path) => {
      const entry = paths[path];
      if (!entry) throw new Error(`the server publishes no schemas for ${path}`);
      return get(entry.serverRelativeURL);
    }),
  );
}

async function readTables(get: Get, { groups }: RecordedDiscovery): Promise<Record<string, RecordedColumn[]>> {
  const listable = groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources
        .filter(({ name, verbs }) => verbs.includes('list') && isServed(group, name))
        .map(({ name }) => ({ key: `${group === '' ? '' : `${group}/`}${version}/${name}`, group, version, name })),
    ),
  );
  const tables = await Promise.all(
    listable.map(async ({ key, group, version, name }) => {
      const table = await get(`${pathOf(group, version)}/${name}?limit=1`, asTable);
      return [key, recordColumns(table)] as const;
    }),
  );
  return Object.fromEntries(tables.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pathOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

function client({ server, ca, cert, key, token }: Credentials): Get {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  return (path, accept = 'application/json') =>
    new Promise((done, fail) => {
      const headers = { accept, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      const call = request(new URL(path, server), { agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (response.statusCode !== 200) fail(new Error(`GET ${path}: ${response.statusCode} ${text}`));
          else done(JSON.parse(text) as Record<string, unknown>);
        });
      });
      call.on('error', fail);
      call.end();
    });
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly clusters?: readonly { name: string; cluster: Record<string, string> }[];
  readonly users?: readonly { name: string; user: Record<string, string> }[];
}

function readCredentials(path: string, contextName: string | undefined): Credentials {
  const config = parse(readFileSync(path, 'utf8')) as Kubeconfig;
  const named = contextName ?? config['current-context'];
  const context = config.contexts?.find(({ name }) => name === named)?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user ?? {};
  if (cluster?.['server'] === undefined) throw new Error(`${path} has no cluster for context ${named}`);
  const folder = dirname(path);
  return {
    server: cluster['server'],
    ca: fileOrData(cluster, 'certificate-authority', folder),
    cert: fileOrData(user, 'client-certificate', folder),
    key: fileOrData(user, 'client-key', folder),
    token: user['token'],
  };
}

function fileOrData(fields: Readonly<Record<string, string>>, name: string, folder: string): Buffer | undefined {
  const data = fields[`${name}-data`];
  if (data !== undefined) return Buffer.from(data, 'base64');
  const path = fields[name];
  return path === undefined ? undefined : readFileSync(resolve(folder, path));
}

function write(recorded: ReadonlyMap<string, string>): void {
  mkdirSync(dataFolder, { recursive: true });
  for (const [name, text] of recorded) {
    writeFileSync(join(dataFolder, name), text);
    console.log(`${name}: ${text.length} bytes`);
  }
}

function verify(recorded: ReadonlyMap<string, string>): void {
  const stale = [...recorded].filter(([name, text]) => readFileSync(join(dataFolder, name), 'utf8') !== text);
  for (const [name] of stale) console.error(`${name} is not what the server answers`);
  if (stale.length > 0) process.exitCode = 1;
  else console.log(`${recorded.size} files are what the server answers`);
}

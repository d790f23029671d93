// Records the protobuf messages of the kinds that the embedded cluster serves.
//
//   npx tsx scripts/record-protobuf.ts --modules FOLDER [--verify]
//
// FOLDER holds the sources of the Go modules `api`, `apimachinery`, `apiextensions-apiserver` and `kube-aggregator` of k8s.io, each in a
// folder of that name, with or without `@version`. With --verify nothing is written: the command fails when the recorded
// data is not what the sources say.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recordedDiscovery } from '../packages/embedded-cluster/src/kinds/recorded.ts';
import { joinApiVersion } from '../packages/embedded-cluster/src/objects.ts';
import type { RecordedMessages } from '../packages/embedded-cluster/src/protobuf/messages.ts';
import { valueReaders } from '../packages/embedded-cluster/src/protobuf/value-readers.ts';
import { entryPerLine } from './kubernetes-recording.ts';
import { type GoPackage, recordMessages, type WantedKind } from './protobuf-recording.ts';

const file = join(
  dirname(dirname(fileURLToPath(import.meta.url))),
  'packages/embedded-cluster/src/protobuf/data/messages.json',
);
const metaPackage = 'k8s.io.apimachinery.pkg.apis.meta.v1';
/** Options of `kubectl exec` travel in the query, never in a body. */
const neverInBody = new Set(['PodExecOptions']);
/** Options of a deletion, and answers that are of no group of their own. */
const ofEveryGroup = [
  { apiVersion: 'v1', kind: 'DeleteOptions' },
  { apiVersion: 'v1', kind: 'Status' },
  { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' },
];

const { values: options } = parseArgs({
  options: { modules: { type: 'string' }, verify: { type: 'boolean', default: false } },
});
if (options.modules === undefined) throw new Error('--modules FOLDER is required');

const packages = readPackages(options.modules);
const text = messagesText(recordMessages(packages, wantedKinds(packages), new Set(valueReaders.keys())));
if (options.verify) verify();
else write();

function write(): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${file}: ${text.length} bytes`);
}

function verify(): void {
  const same = existsSync(file) && readFileSync(file, 'utf8') === text;
  if (!same) process.exitCode = 1;
  console.log(same ? 'the recorded messages are those of the sources' : `${file} is not what the sources say`);
}

function readPackages(modules: string): GoPackage[] {
  const folders = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator'].map((module) =>
    moduleFolder(modules, module),
  );
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('/generated.proto'))
      .map((path) => readPackage(dirname(join(folder, path)))),
  );
}

function moduleFolder(modules: string, module: string): string {
  const found = readdirSync(modules).filter((name) => name === module || name.startsWith(`${module}@`));
  const [folder, ...others] = found;
  if (folder === undefined || others.length > 0) throw new Error(`${modules} has ${found.length} folders of ${module}`);
  return join(modules, folder);
}

function readPackage(folder: string): GoPackage {
  const proto = readFileSync(join(folder, 'generated.proto'), 'utf8');
  const name = /^package (\S+);$/m.exec(proto)?.[1];
  if (name === undefined) throw new Error(`${folder}/generated.proto names no package`);
  const sources = readdirSync(folder).filter((entry) => entry.endsWith('.go') && !/_test\.go$|generated/.test(entry));
  return { name, proto, go: sources.map((entry) => readFileSync(join(folder, entry), 'utf8')).join('\n') };
}

/** Every kind that a request or an answer may carry. */
function wantedKinds(known: readonly GoPackage[]): WantedKind[] {
  const kinds = recordedDiscovery.groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.flatMap(({ kind, subresources }) => [
        { group, version, kind },
        ...(subresources ?? []).map((of) => ({
          group: of.group ?? group,
          version: of.version ?? version,
          kind: of.kind,
        })),
      ]),
    ),
  );
  const wanted = new Map<string, WantedKind>();
  for (const { group, version, kind } of kinds) {
    if (neverInBody.has(kind)) continue;
    const apiVersion = joinApiVersion(group, version);
    wanted.set(`${apiVersion}/${kind}`, { apiVersion, kind, message: `${packageOf(known, group, version)}.${kind}` });
  }
  for (const { apiVersion, kind } of ofEveryGroup)
    wanted.set(kind, { apiVersion, kind, message: `${metaPackage}.${kind}` });
  return [...wanted.values()];
}

/** Packages are named by the first word of the group. */
function packageOf(known: readonly GoPackage[], group: string, version: string): string {
  const word = group === '' ? 'core' : (group.split('.')[0] ?? '');
  const found = known.find(({ name }) => name.endsWith(`.${word}.${version}`));
  if (!found) throw new Error(`no package holds ${joinApiVersion(group, version)}`);
  return found.name;
}

function messagesText({ kinds, messages }: RecordedMessages): string {
  return `{"kinds":${entryPerLine(kinds).trimEnd()},\n"messages":${entryPerLine(messages).trimEnd()}}\n`;
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chosenKubernetes } from './kubernetes-version.ts';

/** The folder of the test bed: a Go module for each project whose programs it runs. */
export const testbedFolder = fileURLToPath(new URL('..', import.meta.url));

export type ModuleName =
  | 'kubernetes'
  | 'e2e'
  | 'etcd'
  | 'kwok'
  | 'lws'
  | 'jobset'
  | 'kruise'
  | 'helm'
  | 'containerd'
  | 'cni'
  | 'testapp';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What each Go module is there to build; its version is the one that go.mod requires. */
const origins: Readonly<Record<ModuleName, string>> = {
  kubernetes: 'k8s.io/kubernetes',
  e2e: 'k8s.io/kubernetes',
  etcd: 'go.etcd.io/etcd/server/v3',
  kwok: 'sigs.k8s.io/kwok',
  lws: 'sigs.k8s.io/lws',
  jobset: 'sigs.k8s.io/jobset',
  kruise: 'github.com/openkruise/kruise',
  helm: 'helm.sh/helm/v4',
  containerd: 'github.com/containerd/containerd/v2',
  cni: 'github.com/containernetworking/plugins',
  testapp: 'holdfast.dev/testbed/testapp',
};

export function originOf(module: ModuleName): string {
  return origins[module];
}

/** The folder of its go.mod, which every build of it shares. */
export function folderOf(module: ModuleName): string {
  return `${testbedFolder}${module}`;
}

/** `v1.37.1`: what go.mod says. */
export function pinnedVersion(module: ModuleName): string {
  if (module === 'testapp') return sourceVersion(folderOf(module));
  return requiredVersion(readFileSync(`${folderOf(module)}/go.mod`, 'utf8'), origins[module]);
}

/** What go.mod says, or the version of Kubernetes that the caller chose. */
export function versionOf(module: ModuleName, env: Environment): string {
  const chosen = origins[module] === origins.kubernetes ? chosenKubernetes(env) : undefined;
  return chosen ?? pinnedVersion(module);
}

/** Of a program whose source is kept here: another source is another version, so that the cache never has an old one. */
function sourceVersion(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(`${folder}/${file}`));
  return `source-${hash.digest('hex').slice(0, 12)}`;
}

/** The version of `path` that the text of a go.mod requires. */
export function requiredVersion(goMod: string, path: string): string {
  for (const line of goMod.split('\n')) {
    const [name, version] = line
      .replace(/^require\s+/, '')
      .trim()
      .split(/\s+/);
    if (name === path && version !== undefined) return version;
  }
  throw new Error(`go.mod does not require ${path}`);
}

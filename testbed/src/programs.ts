import type { ModuleName } from './modules.ts';

export interface Program {
  readonly name: string;
  readonly module: ModuleName;
  /** The Go package of its main function. */
  readonly package: string;
  /** A test program is compiled from the tests of its package. Default: false. */
  readonly isTest?: boolean;
  /** Build tags: what is left out of it. */
  readonly tags?: string;
  /** Makes it print its version. */
  readonly versionArguments: readonly string[];
  /** Where else than in the cache it may be; what comes with manifests of its own is only of use together with them. */
  readonly alsoInstalled: boolean;
}

const kubernetes = (name: string): Program => ({
  name,
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  versionArguments: name === 'kubectl' ? ['version', '--client'] : ['--version'],
  alsoInstalled: true,
});

/** The shim is looked for beside containerd, and all three speak one protocol: only those of one build go together. */
const containerd = (name: string): Program => ({
  name,
  module: 'containerd',
  package: `github.com/containerd/containerd/v2/cmd/${name}`,
  tags: 'no_btrfs no_devmapper no_zfs',
  versionArguments: ['--version'],
  alsoInstalled: false,
});

/** The runtime finds plugins by name in one folder. */
const cni = (name: string, kind: 'main' | 'ipam'): Program => ({
  name,
  module: 'cni',
  package: `github.com/containernetworking/plugins/plugins/${kind}/${name}`,
  versionArguments: ['--version'],
  alsoInstalled: false,
});

export const programs = {
  etcd: {
    name: 'etcd',
    module: 'etcd',
    package: 'go.etcd.io/etcd/server/v3',
    versionArguments: ['--version'],
    alsoInstalled: true,
  },
  apiServer: kubernetes('kube-apiserver'),
  controllerManager: kubernetes('kube-controller-manager'),
  scheduler: kubernetes('kube-scheduler'),
  kubectl: kubernetes('kubectl'),
  kubelet: kubernetes('kubelet'),
  kubeProxy: kubernetes('kube-proxy'),
  containerd: containerd('containerd'),
  shim: containerd('containerd-shim-runc-v2'),
  ctr: containerd('ctr'),
  cniBridge: cni('bridge', 'main'),
  cniHostLocal: cni('host-local', 'ipam'),
  /** What runs in the pods of real nodes: its source is kept here. */
  testapp: { name: 'testapp', module: 'testapp', package: '.', versionArguments: ['version'], alsoInstalled: false },
  kwok: {
    name: 'kwok',
    module: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    versionArguments: ['--version'],
    alsoInstalled: true,
  },
  lws: {
    name: 'lws-manager',
    module: 'lws',
    package: 'sigs.k8s.io/lws/cmd',
    versionArguments: ['--version'],
    alsoInstalled: false,
  },
  jobset: {
    name: 'jobset-manager',
    module: 'jobset',
    package: 'sigs.k8s.io/jobset',
    versionArguments: ['--version'],
    alsoInstalled: false,
  },
  /** Its main function is read from its module and changed in one word: `kruise-source.ts`. */
  kruise: {
    name: 'kruise-manager',
    module: 'kruise',
    package: '.',
    versionArguments: ['--version'],
    alsoInstalled: false,
  },
  /** Installs the chart as people do: for tests of it, and not part of any cluster. */
  helm: {
    name: 'helm',
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    versionArguments: ['version'],
    alsoInstalled: true,
  },
  /** Kubernetes' own end-to-end tests: for a comparison, and not part of any cluster. */
  e2e: {
    name: 'e2e.test',
    module: 'e2e',
    package: 'k8s.io/kubernetes/test/e2e',
    isTest: true,
    versionArguments: ['--version'],
    alsoInstalled: true,
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramKey = keyof typeof programs;

/** What only real nodes need. */
export const nodePrograms = [
  'kubelet',
  'kubeProxy',
  'containerd',
  'shim',
  'ctr',
  'cniBridge',
  'cniHostLocal',
  'testapp',
] as const satisfies readonly ProgramKey[];

/** What the linker writes into a program, so that it knows its version. */
export function linkerFlags(module: ModuleName, version: string): string {
  return ['-s', '-w', ...versionVariables(module, version).map(([name, value]) => `-X ${name}=${value}`)].join(' ');
}

function versionVariables(module: ModuleName, version: string): readonly (readonly [string, string])[] {
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.');
  switch (module) {
    case 'kubernetes':
    case 'e2e': {
      const prefix = 'k8s.io/component-base/version.git';
      return [
        [`${prefix}Version`, version],
        [`${prefix}Major`, major],
        [`${prefix}Minor`, minor],
      ];
    }
    case 'lws':
    case 'jobset':
      return [[`sigs.k8s.io/${module}/pkg/version.GitVersion`, version]];
    case 'helm':
      return [['helm.sh/helm/v4/internal/version.version', version]];
    case 'containerd':
      return [['github.com/containerd/containerd/v2/version.Version', version]];
    case 'etcd':
    case 'kwok':
    case 'kruise':
    case 'cni':
    case 'testapp':
      return [];
  }
}

/** Whether a program that prints this is exactly of that version: not of a pre-release or of a longer number. */
export function printsVersion(output: string, version: string): boolean {
  const digits = version.replace(/^v/, '').replaceAll('.', '\\.');
  return new RegExp(`(^|[^\\w.])v?${digits}($|[^\\w.+-])`, 'm').test(output);
}

import type { ModuleName } from './modules.ts';

export interface Program {
  readonly name: string;
  readonly module: ModuleName;
  /** The Go package of its main function. */
  readonly package: string;
  /** A test program is compiled from the tests of its package. Default: false. */
  readonly isTest?: boolean;
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
    case 'etcd':
    case 'kwok':
    case 'kruise':
      return [];
  }
}

/** Whether a program that prints this is exactly of that version: not of a pre-release or of a longer number. */
export function printsVersion(output: string, version: string): boolean {
  const digits = version.replace(/^v/, '').replaceAll('.', '\\.');
  return new RegExp(`(^|[^\\w.])v?${digits}($|[^\\w.+-])`, 'm').test(output);
}

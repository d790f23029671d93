/** Another version of Kubernetes than the one that go.mod requires. */
export function chosenKubernetes(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const chosen = env['K8S_VERSION'];
  if (chosen === undefined || chosen === '') return undefined;
  const version = chosen.startsWith('v') ? chosen : `v${chosen}`;
  if (!/^v1\.\d+\.\d+$/.test(version)) throw new Error(`K8S_VERSION is "${chosen}": it must be like v1.36.4`);
  if (minorOf(version) < oldest)
    throw new Error(`K8S_VERSION is "${chosen}": the oldest that can run here is 1.${oldest}`);
  return version;
}

/** Before it, programs have flags that were renamed since. */
const oldest = 34;

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

/** What makes an API server of that version serve the Workload API, whose groups Holdfast knows; it is off by default. */
export function workloadFlags(version: string): readonly string[] {
  const served = workloadVersions(minorOf(version)).map((of) => `scheduling.k8s.io/${of}=true`);
  if (served.length === 0) return [];
  return [`--runtime-config=${served.join(',')}`, '--feature-gates=GenericWorkload=true'];
}

function workloadVersions(minor: number): readonly string[] {
  if (minor <= 34) return [];
  if (minor === 35) return ['v1alpha1'];
  if (minor === 36) return ['v1alpha2'];
  // Beside the version that is there to stay the one that what the embedded cluster serves is recorded with.
  return minor === 37 ? ['v1beta1', 'v1alpha3'] : ['v1beta1'];
}

/**
 * The text of a go.mod for another version: what is required beside it is for `go mod tidy` to find. Modules that Kubernetes
 * develops in its own repository have the same number with a 0 in front.
 */
export function goModFor(goMod: string, pinned: string, version: string): string {
  const staging = (of: string) => of.replace(/^v1\./, 'v0.');
  return goMod
    .replace(/^require \([^)]*\)\n/gm, '')
    .replaceAll(`k8s.io/kubernetes ${pinned}`, `k8s.io/kubernetes ${version}`)
    .replace(/^(replace .* )(v0\.\S+)$/gm, (line, start: string, replaced: string) =>
      replaced === staging(pinned) ? `${start}${staging(version)}` : line,
    );
}

/** What an administrator allows disruption probes to do beyond asking their own pod. */
export interface ProbePermits {
  /** Namespaces in which commands may be run. */
  readonly execNamespaces: readonly string[] | 'all';
  /** Hosts that probes may name instead of their pod. */
  readonly hosts: readonly string[];
}

export function mayExec({ execNamespaces }: ProbePermits, namespace: string): boolean {
  return execNamespaces === 'all' || execNamespaces.includes(namespace);
}

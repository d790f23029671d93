import { isObject } from '@holdfast/base/json';
import type { ContainerProbe } from '@holdfast/base/probes/probe';

/**
 * A probe asks its own pod. Otherwise a user who may annotate a pod could have the agents call any address that they reach, past
 * the network policies of the pod's namespace, and read the outcome in the pod's condition.
 */

export interface ForeignHost {
  readonly container: string;
  readonly host: string;
}

/** The addresses of a pod, by its status: it may have one of each family. */
export function podAddresses(status: unknown): readonly string[] {
  if (!isObject(status)) return [];
  const { podIP, podIPs } = status;
  const listed = Array.isArray(podIPs) ? podIPs.map((one: unknown) => (isObject(one) ? one['ip'] : undefined)) : [];
  return [...new Set([podIP, ...listed])].filter((ip): ip is string => typeof ip === 'string' && ip !== '');
}

/** @param addresses of the pod, as far as they are known */
export function isOwnHost(host: string, addresses: readonly string[], allowed: readonly string[]): boolean {
  // Kubernetes takes an empty host for an absent one.
  return host === '' || addresses.includes(host) || allowed.includes(host);
}

/** The probes that name another host than their pod, and none that an administrator allows. */
export function foreignHosts(
  probes: readonly ContainerProbe[],
  addresses: readonly string[],
  allowed: readonly string[],
): readonly ForeignHost[] {
  return probes.flatMap(({ container = '', handler }) => {
    const host = handler.kind === 'httpGet' || handler.kind === 'tcpSocket' ? handler.host : undefined;
    return host === undefined || isOwnHost(host, addresses, allowed) ? [] : [{ container, host }];
  });
}

export function hostRefusal({ container, host }: ForeignHost): string {
  return `the probe of container ${JSON.stringify(container)} names the host ${JSON.stringify(host)}: a probe asks its own pod; leave the host out, or have an administrator list it in agent.allowProbeHosts`;
}

/** What a pod contributes to the endpoints of a service that selects it. */

import { isIPv6 } from 'node:net';
import type { Container, ContainerPort } from 'kubernetes-types/core/v1.js';
import { isFinishedPod, isReady, isTerminating } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import type {
  AddressMember,
  Endpoint,
  Family,
  ResolvedPort,
  ServiceObject,
  ServicePort,
  SliceMember,
} from './types.ts';

/** Whether this controller manages the service's endpoints; else the author of the service does. */
export function isManaged(service: ServiceObject): boolean {
  return service.spec.type !== 'ExternalName' && Object.keys(service.spec.selector ?? {}).length > 0;
}

export function selectsPod(service: ServiceObject, labels: Readonly<Record<string, string>> | undefined): boolean {
  const wanted = Object.entries(service.spec.selector ?? {});
  return wanted.every(([key, value]) => labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value);
}

export function isHeadless(service: ServiceObject): boolean {
  return service.spec.clusterIP === 'None';
}

export function familiesOf(service: ServiceObject): readonly Family[] {
  const families = service.spec.ipFamilies ?? [];
  return families.length > 0 ? (families as Family[]) : ['IPv4'];
}

/** One for each address family that both have; none for pods that are done or not there yet. */
export function sliceMembers(service: ServiceObject, pod: PodObject, zone: string | undefined): SliceMember[] {
  if (isFinishedPod(pod)) return [];
  const ports = portsOf(service, pod);
  return familiesOf(service).flatMap((family) => {
    const ip = addressIn(pod, family);
    return ip === undefined ? [] : [{ family, ports, endpoint: endpointOf(service, pod, ip, zone) }];
  });
}

function endpointOf(service: ServiceObject, pod: PodObject, ip: string, zone: string | undefined): Endpoint {
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses: [ip],
    conditions: { ready, serving, terminating },
    ...hostnameFor(service, pod),
    targetRef: targetRef(pod),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/** Endpoints know no terminating pods, unless the service wants to hear of pods whatever state they are in. */
export function addressMember(service: ServiceObject, pod: PodObject): AddressMember | undefined {
  const always = service.spec.publishNotReadyAddresses === true;
  const [family = 'IPv4'] = familiesOf(service);
  const ip = addressIn(pod, family);
  if (ip === undefined || isFinishedPod(pod) || (isTerminating(pod) && !always)) return undefined;
  const ports = portsOf(service, pod);
  if (ports.length === 0 && !(isHeadless(service) && (service.spec.ports ?? []).length === 0)) return undefined;
  const address = {
    ip,
    ...hostnameFor(service, pod),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: targetRef(pod),
  };
  return { address, ready: always || isReady(pod), ports };
}

/** Everything of a pod that its endpoints depend on and that may change, labels aside. */
export function fingerprint(pod: PodObject): string {
  const addresses = (pod.status?.podIPs ?? []).map(({ ip }) => ip);
  return JSON.stringify([
    pod.metadata.uid,
    isTerminating(pod),
    isFinishedPod(pod),
    isReady(pod),
    pod.status?.podIP,
    addresses,
    pod.spec.nodeName,
  ]);
}

function addressIn(pod: PodObject, family: Family): string | undefined {
  const addresses = (pod.status?.podIPs ?? []).map(({ ip }) => ip ?? '');
  if (addresses.length === 0 && pod.status?.podIP) addresses.push(pod.status.podIP);
  return addresses.find((ip) => ip !== '' && isIPv6(ip) === (family === 'IPv6'));
}

function targetRef({ metadata }: PodObject): NonNullable<Endpoint['targetRef']> {
  const { namespace = '', name, uid = '' } = metadata;
  return { kind: 'Pod', namespace, name, uid };
}

/** Pods of a stateful set have names of their own below that of their service. */
function hostnameFor(service: ServiceObject, pod: PodObject): { hostname?: string } {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? { hostname } : {};
}

function portsOf(service: ServiceObject, pod: PodObject): ResolvedPort[] {
  return (service.spec.ports ?? []).flatMap((wanted) => {
    const port = resolvePort(wanted, pod);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = wanted;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** A name means whichever port the pod's containers give that name to. */
function resolvePort({ targetPort, port, protocol = 'TCP' }: ServicePort, pod: PodObject): number | undefined {
  if (targetPort === undefined || typeof targetPort === 'number') return targetPort ?? port;
  const fits = (one: ContainerPort) => one.name === targetPort && (one.protocol ?? 'TCP') === protocol;
  for (const { ports } of lastingContainers(pod)) {
    const found = ports?.find(fits);
    if (found) return found.containerPort;
  }
  return undefined;
}

function lastingContainers({ spec }: PodObject): Container[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars];
}

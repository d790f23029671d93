import type { PersistentVolumeClaim, Pod, PodSpec, Service } from 'kubernetes-types/core/v1.js';
import { podAmounts } from '../controllers/scheduler/requests.ts';
import { parseQuantity } from '../kinds/quantity.ts';
import type { KubeObject, ResourceKey } from '../objects.ts';

/** What an object takes of quotas, by the names that quotas have for it, in billionths. */
export type Usage = ReadonlyMap<string, bigint>;

const one = 1_000_000_000n;
/** Kinds that quotas knew by their plain names before they could count every kind. */
const plainlyCounted: ReadonlySet<ResourceKey> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

export function usageOf(resource: ResourceKey, object: KubeObject): Usage {
  const usage = new Map([[countName(resource), one]]);
  if (plainlyCounted.has(resource)) usage.set(resource, one);
  if (resource === 'pods') addPod(usage, object as KubeObject & Pod);
  if (resource === 'services') addService(usage, object as KubeObject & Service);
  if (resource === 'persistentvolumeclaims') addClaim(usage, object as KubeObject & PersistentVolumeClaim);
  if (resource === 'resource.k8s.io/resourceclaims') addDevices(usage, object);
  return usage;
}

/** `count/pods`, `count/deployments.apps` */
function countName(resource: ResourceKey): string {
  const [group, plural] = resource.split('/');
  return plural === undefined ? `count/${group}` : `count/${plural}.${group}`;
}

/** A pod that has come to its end takes nothing any more. */
function addPod(usage: Map<string, bigint>, { spec, status }: Pod): void {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed' || spec === undefined) return;
  usage.set('pods', one);
  addRequests(usage, spec);
  for (const [name, amount] of podAmounts(spec, 'limits')) {
    if (isCompute(name)) usage.set(`limits.${name}`, nanosOf(name, amount));
  }
}

/** Requests for CPU and memory go by two names; what clusters add themselves only by the long one. */
function addRequests(usage: Map<string, bigint>, spec: PodSpec): void {
  for (const [name, amount] of podAmounts(spec, 'requests')) {
    const nanos = nanosOf(name, amount);
    usage.set(`requests.${name}`, nanos);
    if (isCompute(name) || name.startsWith('hugepages-')) usage.set(name, nanos);
  }
}

function isCompute(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';
}

/** CPU is counted in thousandths, everything else in whole units. */
function nanosOf(name: string, amount: number): bigint {
  return BigInt(amount) * (name === 'cpu' ? one / 1000n : one);
}

function addService(usage: Map<string, bigint>, { spec }: Service): void {
  const ports = BigInt(spec?.ports?.length ?? 0);
  if (spec?.type === 'LoadBalancer') usage.set('services.loadbalancers', one);
  const opensNodes = spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
  if (spec?.type === 'NodePort' || opensNodes) usage.set('services.nodeports', ports * one);
}

function addClaim(usage: Map<string, bigint>, { spec }: PersistentVolumeClaim): void {
  const storage = parseQuantity(spec?.resources?.requests?.['storage'])?.nanos ?? 0n;
  usage.set('requests.storage', storage);
  const storageClass = spec?.storageClassName;
  if (!storageClass) return;
  usage.set(`${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`, one);
  usage.set(`${storageClass}.storageclass.storage.k8s.io/requests.storage`, storage);
}

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

interface DeviceClaimSpec {
  readonly devices?: {
    readonly requests?: readonly {
      readonly exactly?: DeviceRequest;
      readonly firstAvailable?: readonly DeviceRequest[];
    }[];
  };
}

/** As many as one claim can be given at the most. */
const allDevices = 32;

/** Devices by their class. Of those of which one is taken if another is not there, the most that it may come to. */
function addDevices(usage: Map<string, bigint>, { spec }: KubeObject): void {
  for (const { exactly, firstAvailable = [] } of (spec as DeviceClaimSpec | undefined)?.devices?.requests ?? []) {
    const most = new Map<string, bigint>();
    for (const request of firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : []) {
      const name = `${request.deviceClassName ?? ''}.deviceclass.resource.k8s.io/devices`;
      const count = BigInt(request.allocationMode === 'All' ? allDevices : (request.count ?? 0)) * one;
      if (count > (most.get(name) ?? 0n)) most.set(name, count);
    }
    for (const [name, count] of most) usage.set(name, (usage.get(name) ?? 0n) + count);
  }
}

import {
  isThere,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  textAt,
  textsAt,
} from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject, ResourceKey } from '../objects.ts';
import { ageOf } from './age.ts';
import { distinct, formatLabels, formatSelector, none, orNone, someOf, unset } from './texts.ts';

/** Cells that list things show this many of them. */
const shown = 3;

const service: Cells = (object, nowMs) => {
  const spec = specOf(object);
  return [
    object.metadata.name,
    textAt(spec, 'type'),
    orNone(textsAt(spec, 'clusterIPs')[0] ?? textAt(spec, 'clusterIP')),
    externalAddress(object),
    orNone(objectsAt(spec, 'ports').map(servicePort).join(',')),
    ageOf(object, nowMs),
    formatLabels(spec, 'selector'),
  ];
};

function servicePort(port: JsonObject): string {
  const nodePort = numberAt(port, 'nodePort') ?? 0;
  return `${numberAt(port, 'port') ?? 0}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(port, 'protocol')}`;
}

function externalAddress(object: KubeObject): string {
  const spec = specOf(object);
  const addresses = textsAt(spec, 'externalIPs');
  switch (textAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(addresses.join(','));
    case 'LoadBalancer':
      return [...loadBalancerAddresses(object), ...addresses].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function loadBalancerAddresses(object: KubeObject): readonly string[] {
  const points = objectsAt(objectAt(statusOf(object), 'loadBalancer'), 'ingress');
  return distinct(points.map((point) => textAt(point, 'ip') || textAt(point, 'hostname')));
}

const endpoints: Cells = (object, nowMs) => {
  const subsets = objectsAt(object, 'subsets');
  const text = subsets.length === 0 ? none : someOf(subsets.flatMap(subsetAddresses), shown);
  return [object.metadata.name, text, ageOf(object, nowMs)];
};

function subsetAddresses(subset: JsonObject): readonly string[] {
  const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = objectsAt(subset, 'ports');
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) => addresses.map((address) => hostPort(address, numberAt(port, 'port') ?? 0)));
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const endpointSlice: Cells = (object, nowMs) => {
  const addresses = objectsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
  return [
    object.metadata.name,
    textAt(object, 'addressType'),
    someOf(objectsAt(object, 'ports').map(slicePort), shown) || unset,
    someOf(addresses, shown) || unset,
    ageOf(object, nowMs),
  ];
};

function slicePort(port: JsonObject): string {
  const number = numberAt(port, 'port');
  if (number !== undefined) return String(number);
  return isThere(port['name']) ? textAt(port, 'name') : '*';
}

const ingress: Cells = (object, nowMs) => {
  const spec = specOf(object);
  return [
    object.metadata.name,
    isThere(spec['ingressClassName']) ? textAt(spec, 'ingressClassName') : none,
    hostsText(objectsAt(spec, 'rules').map((rule) => textAt(rule, 'host'))),
    loadBalancerAddresses(object).join(','),
    listAt(spec, 'tls').length > 0 ? '80, 443' : '80',
    ageOf(object, nowMs),
  ];
};

/** Rules without a host are not shown, but count once the cell is full. */
function hostsText(hosts: readonly string[]): string {
  const named = hosts.map((host, index) => ({ host, index })).filter(({ host }) => host !== '');
  const last = named[shown - 1];
  const list = named.slice(0, shown).map(({ host }) => host);
  if (list.length === 0) return '*';
  const more = last !== undefined && last.index < hosts.length - 1;
  return more ? `${list.join(',')} + ${hosts.length - shown} more...` : list.join(',');
}

const ingressClass: Cells = (object, nowMs) => {
  const isDefault = object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
  return [
    isDefault ? `${object.metadata.name} (default)` : object.metadata.name,
    textAt(specOf(object), 'controller'),
    parametersText(objectAt(specOf(object), 'parameters')),
    ageOf(object, nowMs),
  ];
};

function parametersText(parameters: JsonObject | undefined): string {
  if (!parameters) return none;
  const group = isThere(parameters['apiGroup']) ? `.${textAt(parameters, 'apiGroup')}` : '';
  return `${textAt(parameters, 'kind')}${group}/${textAt(parameters, 'name')}`;
}

const networkPolicy: Cells = (object, nowMs) => [
  object.metadata.name,
  formatSelector(objectAt(specOf(object), 'podSelector')),
  ageOf(object, nowMs),
];

export const networkCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['services', service],
  ['endpoints', endpoints],
  ['discovery.k8s.io/endpointslices', endpointSlice],
  ['networking.k8s.io/ingresses', ingress],
  ['networking.k8s.io/ingressclasses', ingressClass],
  ['networking.k8s.io/networkpolicies', networkPolicy],
];

/** Endpoints and EndpointSlices. */

import { isIPv4, isIPv6 } from 'node:net';
import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { duplicate, oneOf, portErrors, problemsOf, tooMany, unchanged } from './checks/field-checks.ts';
import { ensureObject, fillIn, fillInText, objectsAt, textAt, textsAt } from './checks/read.ts';
import { dnsLabelProblems } from './checks/syntax.ts';

const badIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const protocols = ['SCTP', 'TCP', 'UDP'] as const;

function subsetErrors(subset: JsonObject, path: string): readonly FieldError[] {
  const lists = ['addresses', 'notReadyAddresses'] as const;
  const empty = lists.every((list) => objectsAt(subset, list).length === 0);
  const ports = objectsAt(subset, 'ports');
  return [
    ...(empty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...lists.flatMap((list) =>
      objectsAt(subset, list).flatMap((address, index) =>
        ipErrors(textAt(address, 'ip'), `${path}.${list}[${index}].ip`),
      ),
    ),
    ...ports.flatMap((port, index) => subsetPortErrors(port, ports.length > 1, `${path}.ports[${index}]`)),
  ];
}

function ipErrors(ip: string, field: string): readonly FieldError[] {
  return isIPv4(ip) || isIPv6(ip) ? [] : [invalid(field, ip, badIp)];
}

function subsetPortErrors(port: JsonObject, named: boolean, path: string): readonly FieldError[] {
  const name = textAt(port, 'name');
  return [
    ...(name === ''
      ? named
        ? [required(`${path}.name`, '')]
        : []
      : problemsOf(`${path}.name`, name, dnsLabelProblems)),
    ...portErrors(port['port'], `${path}.port`),
    ...oneOf(port, 'protocol', path, protocols),
  ];
}

function endpointsErrors(endpoints: KubeObject): readonly FieldError[] {
  return objectsAt(endpoints, 'subsets').flatMap((subset, index) => subsetErrors(subset, `subsets[${index}]`));
}

export const endpointsStrategy: Strategy = {
  createOnUpdate: true,
  applyDefaults(endpoints) {
    for (const subset of objectsAt(endpoints, 'subsets')) {
      for (const port of objectsAt(subset, 'ports')) fillInText(port, 'protocol', 'TCP');
    }
  },
  validate: endpointsErrors,
};

const addressTypes = ['FQDN', 'IPv4', 'IPv6'] as const;
const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;

function addressErrors(address: string, type: string, field: string): readonly FieldError[] {
  if (type === 'FQDN') return [];
  if (!isIPv4(address) && !isIPv6(address)) return [invalid(field, address, badIp)];
  const fits = type === 'IPv4' ? isIPv4(address) : isIPv6(address);
  return fits ? [] : [invalid(field.replace(/\[\d+\]$/, ''), address, `must be an ${type} address`)];
}

function endpointErrors(endpoint: JsonObject, type: string, path: string): readonly FieldError[] {
  const addresses = textsAt(endpoint, 'addresses');
  const field = `${path}.addresses`;
  if (addresses.length === 0) return [required(field, '')];
  if (addresses.length > maxAddresses) return [tooMany(field, addresses.length, maxAddresses)];
  return addresses.flatMap((address, index) => addressErrors(address, type, `${field}[${index}]`));
}

function slicePortErrors(ports: readonly JsonObject[]): readonly FieldError[] {
  if (ports.length > maxPorts) return [tooMany('ports', ports.length, maxPorts)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `ports[${index}]`;
    const name = textAt(port, 'name');
    const errors = name === '' ? [] : [...problemsOf(`${path}.name`, name, dnsLabelProblems)];
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return [...errors, ...oneOf(port, 'protocol', path, protocols)];
  });
}

function sliceErrors(slice: KubeObject): readonly FieldError[] {
  const type = textAt(slice, 'addressType');
  const endpoints = objectsAt(slice, 'endpoints');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required('addressType', ''));
  else if (!(addressTypes as readonly string[]).includes(type)) {
    const detail = `supported values: ${addressTypes.map((word) => `"${word}"`).join(', ')}`;
    errors.push({ type: 'FieldValueNotSupported', field: 'addressType', value: type, detail });
  }
  if (endpoints.length > maxEndpoints) return [...errors, tooMany('endpoints', endpoints.length, maxEndpoints)];
  return [
    ...errors,
    ...endpoints.flatMap((endpoint, index) => endpointErrors(endpoint, type, `endpoints[${index}]`)),
    ...slicePortErrors(objectsAt(slice, 'ports')),
  ];
}

export const endpointSliceStrategy: Strategy = {
  applyDefaults(slice) {
    for (const port of objectsAt(slice, 'ports')) {
      fillIn(port, 'name', '');
      fillInText(port, 'protocol', 'TCP');
    }
    for (const endpoint of objectsAt(slice, 'endpoints')) ensureObject(endpoint, 'conditions');
    if (slice['endpoints'] === undefined) slice['endpoints'] = null;
    if (slice['ports'] === undefined) slice['ports'] = null;
  },
  validate: sliceErrors,
  validateUpdate: (slice, old) => unchanged('addressType', slice['addressType'], old['addressType']),
};

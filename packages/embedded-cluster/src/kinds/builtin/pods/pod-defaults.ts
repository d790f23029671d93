/** What the API server fills into pods and pod templates. Runs for every pod that is written: no copies, no scans twice. */

import type { JsonObject } from '../../../objects.ts';
import { ensureObject, fillIn, fillInNumber, fillInText, isThere, objectAt, objectsAt } from '../checks/read.ts';
import { canonicalQuantities } from '../checks/resource-lists.ts';

const fileMode = 0o644;
const defaultGraceSeconds = 30;
const tokenSeconds = 3600;

/** Everything in a pod spec that has a default, for pods and templates alike. */
export function applyPodSpecDefaults(spec: JsonObject): void {
  const account = spec['serviceAccountName'] || spec['serviceAccount'];
  if (account) {
    if (spec['serviceAccountName'] !== account) spec['serviceAccountName'] = account;
    if (spec['serviceAccount'] !== account) spec['serviceAccount'] = account;
  }
  fillInText(spec, 'dnsPolicy', 'ClusterFirst');
  fillInText(spec, 'restartPolicy', 'Always');
  fillIn(spec, 'terminationGracePeriodSeconds', defaultGraceSeconds);
  fillInText(spec, 'schedulerName', 'default-scheduler');
  if (!isThere(spec['securityContext'])) spec['securityContext'] = {};
  for (const key of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of objectsAt(spec, key)) containerDefaults(container);
  }
  for (const volume of objectsAt(spec, 'volumes')) volumeDefaults(volume);
  canonicalQuantities(spec, 'overhead');
}

/** What only pods get, not templates. */
export function applyPodOnlyDefaults(spec: JsonObject): void {
  const grace = spec['terminationGracePeriodSeconds'];
  if (typeof grace === 'number' && grace < 0) spec['terminationGracePeriodSeconds'] = 1;
  fillIn(spec, 'enableServiceLinks', true);
  const hostNetwork = spec['hostNetwork'] === true;
  for (const key of ['containers', 'initContainers']) {
    for (const container of objectsAt(spec, key)) {
      requestsFromLimits(container);
      if (hostNetwork) hostPorts(container);
    }
  }
}

function requestsFromLimits(container: JsonObject): void {
  const resources = objectAt(container, 'resources');
  const limits = objectAt(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  const requests = ensureObject(resources, 'requests');
  if (requests === undefined) return;
  for (const name of Object.keys(limits)) {
    if (!Object.hasOwn(requests, name)) requests[name] = limits[name];
  }
}

function hostPorts(container: JsonObject): void {
  for (const port of objectsAt(container, 'ports')) {
    const number = port['containerPort'];
    if (typeof number === 'number') fillInNumber(port, 'hostPort', number);
  }
}

function containerDefaults(container: JsonObject): void {
  if (!container['imagePullPolicy']) container['imagePullPolicy'] = pullPolicy(container['image']);
  fillInText(container, 'terminationMessagePath', '/dev/termination-log');
  fillInText(container, 'terminationMessagePolicy', 'File');
  const resources = ensureObject(container, 'resources');
  canonicalQuantities(resources, 'limits');
  canonicalQuantities(resources, 'requests');
  for (const port of objectsAt(container, 'ports')) fillInText(port, 'protocol', 'TCP');
  for (const variable of objectsAt(container, 'env')) {
    const reference = objectAt(objectAt(variable, 'valueFrom'), 'fieldRef');
    if (reference !== undefined) fillInText(reference, 'apiVersion', 'v1');
  }
  probeDefaults(container['livenessProbe']);
  probeDefaults(container['readinessProbe']);
  probeDefaults(container['startupProbe']);
  probeDefaults(container['disruptionProbe']);
  const lifecycle = objectAt(container, 'lifecycle');
  if (lifecycle === undefined) return;
  httpDefaults(objectAt(objectAt(lifecycle, 'postStart'), 'httpGet'));
  httpDefaults(objectAt(objectAt(lifecycle, 'preStop'), 'httpGet'));
}

/** Images without a tag, or with the tag `latest`, may change under the same name. */
function pullPolicy(image: unknown): string {
  if (typeof image !== 'string') return 'IfNotPresent';
  if (image.includes('@')) return 'IfNotPresent';
  const colon = image.lastIndexOf(':');
  const tagged = colon > image.lastIndexOf('/');
  return !tagged || image.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
}

function probeDefaults(source: unknown): void {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return;
  const probe = source as JsonObject;
  fillInNumber(probe, 'timeoutSeconds', 1);
  fillInNumber(probe, 'periodSeconds', 10);
  fillInNumber(probe, 'successThreshold', 1);
  fillInNumber(probe, 'failureThreshold', 3);
  httpDefaults(objectAt(probe, 'httpGet'));
  const grpc = objectAt(probe, 'grpc');
  if (grpc !== undefined) fillIn(grpc, 'service', '');
}

function httpDefaults(action: JsonObject | undefined): void {
  if (action === undefined) return;
  fillInText(action, 'path', '/');
  fillInText(action, 'scheme', 'HTTP');
}

function volumeDefaults(volume: JsonObject): void {
  if (hasNoSource(volume)) volume['emptyDir'] = {};
  for (const key of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = objectAt(volume, key);
    if (source !== undefined) fillIn(source, 'defaultMode', fileMode);
  }
  downwardDefaults(objectAt(volume, 'downwardAPI'));
  for (const source of objectsAt(objectAt(volume, 'projected'), 'sources')) {
    const token = objectAt(source, 'serviceAccountToken');
    if (token !== undefined) fillIn(token, 'expirationSeconds', tokenSeconds);
    downwardDefaults(objectAt(source, 'downwardAPI'));
  }
  hostPathDefaults(objectAt(volume, 'hostPath'));
  imageDefaults(objectAt(volume, 'image'));
  const claim = objectAt(objectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate'), 'spec');
  if (claim !== undefined) fillIn(claim, 'volumeMode', 'Filesystem');
}

function hasNoSource(volume: JsonObject): boolean {
  for (const key of Object.keys(volume)) {
    if (key !== 'name' && isThere(volume[key])) return false;
  }
  return true;
}

function downwardDefaults(source: JsonObject | undefined): void {
  for (const item of objectsAt(source, 'items')) {
    const reference = objectAt(item, 'fieldRef');
    if (reference !== undefined) fillInText(reference, 'apiVersion', 'v1');
  }
}

export function hostPathDefaults(source: JsonObject | undefined): void {
  if (source !== undefined) fillIn(source, 'type', '');
}

function imageDefaults(source: JsonObject | undefined): void {
  if (source !== undefined && !source['pullPolicy']) source['pullPolicy'] = pullPolicy(source['reference']);
}

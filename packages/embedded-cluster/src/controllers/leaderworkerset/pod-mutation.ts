import { createHash } from 'node:crypto';
import type { Container, EnvVar } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../common/workloads.ts';
import { withExclusiveAffinity } from './exclusive-affinity.ts';
import * as keys from './keys.ts';
import { splitOrdinal } from './ordinal-name.ts';

export type PodMutation =
  | { readonly kind: 'mutated'; readonly pod: PodObject }
  | { readonly kind: 'refused'; readonly why: string };

type Problem = { readonly why: string };
type Labels = Record<string, string>;

/** Tells a new pod of a LeaderWorkerSet its place in its group: labels, environment, and where it may run. */
export function mutateLwsPod(pod: PodObject): PodMutation {
  const annotations = pod.metadata.annotations ?? {};
  const size = annotations[keys.size];
  if (size === undefined) {
    return { kind: 'refused', why: `size annotation is unexpectedly missing for pod ${pod.metadata.name}` };
  }
  if (!isCount(size)) return { kind: 'refused', why: notACount(size) };
  const place = isLeader(pod) ? leaderLabels(pod) : workerLabels(pod, Number(size));
  if ('why' in place) return { kind: 'refused', why: place.why };
  const labels = { ...pod.metadata.labels, ...place.labels };
  if (labels[keys.groupIndex] === undefined) return { kind: 'refused', why: noGroupIndex(pod) };
  const placed = withSubdomain({ ...pod, metadata: { ...pod.metadata, labels } });
  return { kind: 'mutated', pod: withEnvironment(withAffinities(placed), size) };
}

export function isLeader(pod: PodObject): boolean {
  return pod.metadata.labels?.[keys.workerIndex] === '0';
}

function leaderLabels(pod: PodObject): { readonly labels: Labels } | Problem {
  const { name, namespace = '', labels = {}, annotations = {} } = pod.metadata;
  const index = labels[keys.groupIndex] ?? splitOrdinal(name)?.ordinal;
  if (index === undefined) return { why: `parsing pod ordinal for pod ${name}` };
  const hasSubGroup =
    annotations[keys.subGroupSize] !== undefined &&
    !labels[keys.subGroupIndex] &&
    annotations[keys.subGroupPolicyType] !== 'LeaderExcluded';
  return {
    labels: {
      [keys.groupIndex]: String(index),
      [keys.groupKey]: labels[keys.groupKey] ?? uniqueKey(namespace, name),
      ...(hasSubGroup ? subGroupLabels(name, '0') : {}),
    },
  };
}

function workerLabels(pod: PodObject, size: number): { readonly labels: Labels } | Problem {
  const { name, labels = {}, annotations = {} } = pod.metadata;
  const index = splitOrdinal(name)?.ordinal;
  if (index === undefined) return { why: `parsing pod ordinal for pod ${name}` };
  const own = { [keys.workerIndex]: String(index) };
  const subGroupSize = annotations[keys.subGroupSize];
  if (subGroupSize === undefined || labels[keys.subGroupIndex]) return { labels: own };
  if (!isCount(subGroupSize) || Number(subGroupSize) === 0) return { why: notACount(subGroupSize) };
  const subGroup = subGroupOf(size, Number(subGroupSize), index);
  return { labels: { ...own, ...subGroupLabels(annotations[keys.leaderName] ?? '', String(subGroup)) } };
}

/** Where the leader is one too many for equal parts, it is an extra member of the first. */
function subGroupOf(size: number, subGroupSize: number, index: number): number {
  const extraLeader = (size - 1) % subGroupSize === 0;
  return Math.trunc((extraLeader ? index - 1 : index) / subGroupSize);
}

function subGroupLabels(leader: string, index: string): Labels {
  return { [keys.subGroupIndex]: index, [keys.subGroupKey]: uniqueKey(leader, index) };
}

export function uniqueKey(scope: string, name: string): string {
  return createHash('sha1').update(`${scope}/${name}`).digest('hex');
}

function withSubdomain(pod: PodObject): PodObject {
  if (!isLeader(pod) || pod.metadata.annotations?.[keys.subdomainPolicy] !== 'UniquePerReplica') return pod;
  return { ...pod, spec: { ...pod.spec, subdomain: pod.metadata.name } };
}

/** Leaders keep other groups out of their domain; workers follow by node selector, and by their part of the group. */
function withAffinities(pod: PodObject): PodObject {
  const { labels = {}, annotations = {} } = pod.metadata;
  const group = annotations[keys.exclusiveTopology];
  const part = annotations[keys.subGroupExclusiveTopology];
  const partKey = labels[keys.subGroupKey];
  let placed = pod;
  if (group !== undefined && isLeader(pod)) {
    placed = withExclusiveAffinity(placed, group, keys.groupKey, labels[keys.groupKey] ?? '');
  }
  return part !== undefined && partKey !== undefined
    ? withExclusiveAffinity(placed, part, keys.subGroupKey, partKey)
    : placed;
}

function withEnvironment(pod: PodObject, size: string): PodObject {
  const { labels = {}, namespace = '' } = pod.metadata;
  const leader = `${labels[keys.setName]}-${labels[keys.groupIndex]}`;
  const variables: readonly EnvVar[] = [
    { name: 'LWS_LEADER_ADDRESS', value: `${leader}.${pod.spec.subdomain ?? ''}.${namespace}` },
    { name: 'LWS_GROUP_SIZE', value: size },
    { name: 'LWS_WORKER_INDEX', value: labels[keys.workerIndex] ?? '' },
  ];
  const names = new Set(variables.map(({ name }) => name));
  // In front, so that what the template says can refer to them.
  const extend = (container: Container): Container => ({
    ...container,
    env: [...variables, ...(container.env ?? []).filter(({ name }) => !names.has(name))],
  });
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(extend),
      ...(initContainers ? { initContainers: initContainers.map(extend) } : {}),
    },
  };
}

const wholeNumber = /^[0-9]{1,9}$/;

function isCount(text: string): boolean {
  return wholeNumber.test(text);
}

function notACount(text: string): string {
  return `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}

function noGroupIndex({ metadata }: PodObject): string {
  const pod = `${metadata.namespace ?? ''}/${metadata.name}`;
  return `Failure constructing environment variables, no group index label found for pod ${pod}`;
}

/** A pod as the scheduler sees it: read once, compared with nodes many times. */

import { sameJson } from '@holdfast/base/json';
import { parseSelector, type Selector } from '@holdfast/base/labels/label-selector';
import type { PodAffinityTerm, PodSpec, Toleration, TopologySpreadConstraint } from 'kubernetes-types/core/v1.js';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import { objectKey } from '../../objects.ts';
import { controllerOf } from '../common/owners.ts';
import type { PodObject } from '../common/workloads.ts';
import type { ResourceAmounts } from './amounts.ts';
import { podRequests } from './requests.ts';

export type Labels = Readonly<Record<string, string>>;

export interface HostPort {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
}

/** Which pods a rule is about, and what they are to share with this one, or not. */
export interface PodTerm {
  /** The same for terms that say the same. */
  readonly id: string;
  readonly topologyKey: string;
  /** `none` selects nothing. */
  readonly selector: Selector | 'none';
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector | undefined;
}

export interface SpreadRule {
  readonly term: PodTerm;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export interface PodNeeds {
  readonly pod: PodObject;
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly owner: string | undefined;
  readonly priority: number;
  readonly spec: PodSpec;
  readonly tolerations: readonly Toleration[];
  readonly requests: ResourceAmounts;
  readonly ports: readonly HostPort[];
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  readonly spread: readonly SpreadRule[];
}

export function readPod(pod: PodObject): PodNeeds {
  const { spec, metadata } = pod;
  const namespace = metadata.namespace ?? '';
  const labels = metadata.labels ?? {};
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = (list: readonly PodAffinityTerm[] | undefined) => (list ?? []).map((term) => readTerm(term, namespace));
  return {
    pod,
    key: objectKey(namespace, metadata.name),
    uid: metadata.uid ?? '',
    namespace,
    labels,
    owner: controllerOf(pod)?.uid,
    priority: spec.priority ?? 0,
    spec,
    tolerations: spec.tolerations ?? [],
    requests: podRequests(spec),
    ports: readPorts(spec),
    affinity: terms(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: terms(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    spread: (spec.topologySpreadConstraints ?? [])
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
      .map((constraint) => readSpread(constraint, namespace, labels)),
  };
}

function readPorts(spec: PodSpec): readonly HostPort[] {
  const containers = [
    ...spec.containers,
    ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
  return containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostPort, hostIP, protocol }) => ({
        address: hostIP || '0.0.0.0',
        protocol: protocol ?? 'TCP',
        port: hostPort ?? 0,
      })),
  );
}

function readTerm(term: PodAffinityTerm, namespace: string): PodTerm {
  const own = term.namespaces === undefined && term.namespaceSelector === undefined ? [namespace] : [];
  const namespaces = [...own, ...(term.namespaces ?? [])].sort();
  const among = term.namespaceSelector === undefined ? undefined : read(term.namespaceSelector);
  return {
    id: JSON.stringify([namespaces, term.namespaceSelector, term.labelSelector, term.topologyKey]),
    topologyKey: term.topologyKey,
    selector: read(term.labelSelector),
    namespaces: new Set(namespaces),
    namespaceSelector: among === 'none' ? undefined : among,
  };
}

/** Newer than the published types. */
type Spread = TopologySpreadConstraint & { matchLabelKeys?: string[] };

function readSpread(constraint: Spread, namespace: string, labels: Labels): SpreadRule {
  const { topologyKey, labelSelector, matchLabelKeys = [], maxSkew } = constraint;
  const own = matchLabelKeys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ op: 'In' as const, key, values: [labels[key] as string] }));
  const selector = read(labelSelector);
  return {
    term: {
      id: JSON.stringify([[namespace], undefined, labelSelector, topologyKey, own]),
      topologyKey,
      selector: selector === 'none' ? 'none' : [...selector, ...own],
      namespaces: new Set([namespace]),
      namespaceSelector: undefined,
    },
    maxSkew,
    minDomains: constraint.minDomains ?? 1,
    honorsAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
    honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
  };
}

function read(selector: LabelSelector | undefined): Selector | 'none' {
  if (selector === undefined) return 'none';
  const parsed = parseSelector(selector, 'selector');
  return parsed.ok ? parsed.value : 'none';
}

/** Whether a placed pod still counts as it did: only its labels and its requests can change. */
export function countsTheSame(before: PodNeeds, pod: PodObject): boolean {
  return (
    sameJson(before.labels, pod.metadata.labels ?? {}) &&
    pod.spec.containers.every((container, index) =>
      sameJson(container.resources ?? {}, before.spec.containers[index]?.resources ?? {}),
    )
  );
}

/** The same for pods that fit on the same nodes. */
export function shapeOf({ namespace, labels, requests, ports, tolerations, spec }: PodNeeds): string {
  const { nodeSelector, affinity, topologySpreadConstraints } = spec;
  const placing = { nodeSelector, affinity, topologySpreadConstraints, tolerations };
  return JSON.stringify([namespace, labels, [...requests], ports, placing]);
}

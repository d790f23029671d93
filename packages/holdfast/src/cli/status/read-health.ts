import { type Fields, isObject } from '@holdfast/base/json';
import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import { observedReason, unprovenReason } from '../../api/event-reasons.ts';
import { agentName, electionLease, operatorName } from '../../api/installation-names.ts';
import type { ResourceName } from '../../kube/client/client.ts';
import { printable } from '../../kube/outcome/printable.ts';
import type { KindReader, Read } from '../../observe/once/kind-reader.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import type { HealthFacts, UnprovenSighting } from './health.ts';
import type { ObservedSighting } from './observed-namespaces.ts';

function namespaced(group: string, plural: string): ResourceName {
  return { group, version: 'v1', plural, namespaced: true };
}

/** What the API server shows of the operator. */
export async function readHealth(reader: KindReader, live: LiveWorld): Promise<HealthFacts> {
  const { operatorNamespace: namespace, readAt: now, world, leases, namespaces, registrations } = live;
  const [deployment, agents, leader, unproven, observed] = await Promise.all([
    reader.get<Deployment>(namespaced('apps', 'deployments'), { namespace, name: operatorName }),
    reader.get<DaemonSet>(namespaced('apps', 'daemonsets'), { namespace, name: agentName }),
    reader.get<Lease>(namespaced('coordination.k8s.io', 'leases'), { namespace, name: electionLease }),
    readUnproven(reader, namespace),
    readObserved(reader, live),
  ]);
  return {
    now,
    operatorNamespace: namespace,
    registrations,
    deployment,
    agents,
    leader,
    unproven,
    observed,
    world,
    leases,
    namespaces,
  };
}

/** What replicas told of callers that are no API servers. Events are kept for an hour, mostly. */
function readUnproven(reader: KindReader, namespace: string): Promise<Read<UnprovenSighting>> {
  const events = namespaced('', 'events');
  const selection = { fieldSelector: `reason=${unprovenReason}` };
  return reader.listResource(events, { kind: 'some', namespaces: [namespace] }, sightingOf, selection);
}

/** Of pods: what a budget is told of one of its pods says the same. */
function readObserved(reader: KindReader, { scope }: LiveWorld): Promise<Read<ObservedSighting>> {
  const events = namespaced('', 'events');
  const selection = { fieldSelector: `reason=${observedReason},involvedObject.kind=Pod` };
  return reader.listResource(events, scope, observedSightingOf, selection);
}

function observedSightingOf(event: Fields): ObservedSighting {
  const { metadata } = event;
  return { ...sightingOf(event), namespace: isObject(metadata) ? String(metadata['namespace']) : '' };
}

function sightingOf({ lastTimestamp, message }: Fields): UnprovenSighting {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { lastMs: Date.parse(text(lastTimestamp)), message: printable(text(message)) };
}

import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import type { Event, Pod } from 'kubernetes-types/core/v1.js';
import { agentName, agentSelectorLabels, operatorName, selectorLabels } from '../../api/installation-names.ts';
import { resources } from '../../observe/resources.ts';
import type { TrustingConfiguration } from '../../trust/webhook-trust.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy, failedWith, type Went, went } from '../failures.ts';
import { refText } from '../object-ref.ts';
import { done, type Ended } from '../outcome.ts';
import { eventLines, podTroubles } from '../troubles.ts';
import type { Located } from './apply-object.ts';
import {
  agentsReadiness,
  allReady,
  definitionReadiness,
  deploymentReadiness,
  type InstallReadiness,
  trustReadiness,
} from './readiness.ts';
import type { Awaited } from './steps.ts';
import { type Patience, waitUntil } from './wait-until.ts';

const events = { group: '', version: 'v1', plural: 'events', namespaced: true } as const;

/** The pods that are waited for. */
const podLabels: Readonly<Partial<Record<Awaited, Readonly<Record<string, string>>>>> = {
  operator: selectorLabels,
  agents: agentSelectorLabels,
};

/** Waits for what was applied to be as it should. */
export async function awaitStep(
  api: ClusterApi,
  what: Awaited,
  objects: readonly Located[],
  patience: Patience,
): Promise<Ended> {
  const waited = await waitUntil(api, patience, () => lookAt(api, what, objects));
  if (!waited.ok) return waited.ended;
  switch (waited.value.kind) {
    case 'ready':
      return done;
    case 'never':
      return failedWith(waited.value.text, 'Waiting does not help. Correct this, then run the same command again.')
        .ended;
    case 'late':
      return lateEnd(api, what, objects, waited.value.text);
  }
}

async function lookAt(api: ClusterApi, what: Awaited, objects: readonly Located[]): Promise<Went<InstallReadiness>> {
  const parts: InstallReadiness[] = [];
  for (const { resource, ref } of objects) {
    const found = await api.find(resource, ref);
    if (!found.ok) return endedBy(found.failure, refText(ref));
    parts.push(readinessOf(what, refText(ref), found.value));
  }
  const all = allReady(parts);
  if (podLabels[what] === undefined || all.kind !== 'waiting') return went(all);
  const [because] = podTroubles(await ourPodsIn(api, what, objects));
  return went({ ...all, because });
}

function readinessOf(what: Awaited, name: string, found: object | undefined): InstallReadiness {
  switch (what) {
    case 'definitions':
      return definitionReadiness(name, found);
    case 'operator':
      return deploymentReadiness(found as Deployment | undefined);
    case 'trust':
      return trustReadiness(name, found as TrustingConfiguration | undefined);
    case 'agents':
      return agentsReadiness(found as DaemonSet | undefined);
  }
}

/** Only for explanations: who may not read pods gets a shorter one. */
async function ourPodsIn(api: ClusterApi, what: Awaited, [first]: readonly Located[]): Promise<readonly Pod[]> {
  const namespace = first?.ref.namespace;
  if (namespace === undefined) return [];
  const labelSelector = Object.entries(podLabels[what] ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const pods = await api.list<Pod>(resources.pods, { namespace, labelSelector });
  return pods.ok ? pods.value : [];
}

async function lateEnd(api: ClusterApi, what: Awaited, objects: readonly Located[], text: string): Promise<Ended> {
  const late = { kind: 'late', message: text, reasons: [], events: [] } as const;
  if (what === 'definitions')
    return { ...late, advice: 'The API server has not served them yet: run the same command again.' };
  if (what === 'trust') return { ...late, advice: untrusted };
  const namespace = objects[0]?.ref.namespace ?? '';
  const found = await api.list<Event>(events, { namespace });
  return {
    ...late,
    reasons: podTroubles(await ourPodsIn(api, what, objects)),
    events: found.ok ? eventLines(found.value) : [],
    advice: what === 'agents' ? agentless(namespace) : unavailable(namespace),
  };
}

const untrusted =
  'Until then the webhooks refuse every request. The operator fills in caBundle (its log says why not), or cert-manager does (kubectl get certificates -A).';

function unavailable(namespace: string): string {
  return [
    'Its webhook configurations were not touched. To see more:',
    `  kubectl -n ${namespace} describe deployment ${operatorName}`,
    `  kubectl -n ${namespace} logs deployment/${operatorName}`,
    'Then run the same command again: it continues where it stopped.',
  ].join('\n');
}

function agentless(namespace: string): string {
  return [
    'Everything else is installed. On a node without an agent, pods that have a disruption probe are not evicted. To see more:',
    `  kubectl -n ${namespace} get pods -o wide -l app.kubernetes.io/component=${agentSelectorLabels['app.kubernetes.io/component']}`,
    `  kubectl -n ${namespace} describe daemonset ${agentName}`,
    'Then run the same command again: it continues where it stopped.',
  ].join('\n');
}

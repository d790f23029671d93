import type { Namespace } from '@holdfast/base/meta';
import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import { counted } from '../../api/wording.ts';
import type { World } from '../../core/world/world.ts';
import { agentsReadiness, deploymentReadiness, type InstallReadiness } from '../../install/index.ts';
import { guardFor } from '../../observe/guard/guard-of.ts';
import { needsGuard } from '../../observe/guard/needs-guard.ts';
import { type PodWebhooks, podWebhooksOf } from '../../observe/guard/registration.ts';
import type { Read, ReadObject } from '../../observe/once/kind-reader.ts';
import type { LeaseView } from '../../observe/once/probe-lease-book.ts';
import type { Registrations, SeenConfiguration } from '../../observe/once/registrations.ts';
import { bundlesOf } from '../../trust/webhook-trust.ts';
import { type ObservedSighting, observing } from './observed-namespaces.ts';
import { maxListed, someOf } from './some-of.ts';

/** Something about the operator that is well or not. `unknown`: the user may not see it. */
export interface OperatorCheck {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly detail: string;
  /** There is no operator that could be well or not. */
  readonly absent?: true;
}

export interface UnprovenSighting {
  readonly lastMs: number;
  readonly message: string;
}

export interface HealthFacts {
  readonly now: number;
  readonly operatorNamespace: string;
  readonly registrations: Registrations;
  readonly deployment: ReadObject<Deployment>;
  readonly agents: ReadObject<DaemonSet>;
  readonly leader: ReadObject<Lease>;
  /** What replicas told of calls that did not come from API servers. */
  readonly unproven: Read<UnprovenSighting>;
  /** What replicas told of disruptions that passed, and would have been refused. */
  readonly observed: Read<ObservedSighting>;
  readonly world: World;
  /** By node. */
  readonly leases: ReadonlyMap<string, LeaseView>;
  /** Those that could be read. */
  readonly namespaces: ReadonlyMap<string, Namespace>;
}

type Known = Extract<Registrations, { kind: 'known' }>;

/** How the operator is, as far as the API server shows it. */
export function healthChecks(facts: HealthFacts): readonly OperatorCheck[] {
  const { registrations } = facts;
  if (registrations.kind === 'unknown') {
    const why = `webhook configurations cannot be read: ${registrations.why}`;
    return [{ check: 'webhooks', state: 'unknown', detail: why }, ...running(facts)];
  }
  const { validating } = registrations;
  const around = [foreign(registrations), kruise(registrations)].filter((one) => one !== undefined);
  if (validating === undefined) return [notInstalled, ...around];
  const podWebhooks = podWebhooksOf(validating);
  return [
    webhooks(registrations, podWebhooks),
    certificates(validating, facts.now),
    callers(registrations, facts),
    ...running(facts),
    guards(facts, podWebhooks),
    ...[observing(facts, podWebhooks)].filter((one) => one !== undefined),
    ...around,
  ];
}

const notInstalled: OperatorCheck = {
  check: 'webhooks',
  state: 'warning',
  absent: true,
  detail:
    "no operator is registered: budgets are shown as Holdfast would judge, and Kubernetes' own check alone decides",
};

function webhooks({ mutating }: Known, { enforcing, observing: watching, installation }: PodWebhooks): OperatorCheck {
  const registration = installation === 'observe' ? watching : enforcing;
  if (registration.kind === 'missing') return { check: 'webhooks', state: 'failed', detail: registration.message };
  if (mutating === undefined) {
    const detail =
      'evictions, deletes and updates are judged; StatefulSets are not (the MutatingWebhookConfiguration is missing)';
    return { check: 'webhooks', state: 'warning', detail };
  }
  const how =
    installation === 'observe' ? 'they refuse nothing (mode: observe)' : 'they fail closed (failurePolicy: Fail)';
  return { check: 'webhooks', state: 'ok', detail: `registered and trusted; ${how}` };
}

const dayMs = 86_400_000;
/** The operator renews long before: what is nearer than this was not renewed. */
const soonMs = 7 * dayMs;

/** What API servers trust. The certificate that is served is in a Secret, which this command does not ask for the right to read. */
function certificates({ bundles }: SeenConfiguration, now: number): OperatorCheck {
  const check = 'certificates';
  const trusted = bundlesOf({ webhooks: bundles.map((caBundle) => ({ clientConfig: { caBundle } })) });
  // A bundle is good for as long as its last authority is: while one is replaced, both are in it.
  const ends = trusted.map((authorities) => Math.max(0, ...authorities.map(({ notAfterMs }) => notAfterMs)));
  const end = ends.length === 0 ? 0 : Math.min(...ends);
  if (end === 0)
    return { check, state: 'failed', detail: 'a webhook has no CA certificate that API servers could trust' };
  const date = new Date(end).toISOString().slice(0, 10);
  if (end <= now)
    return { check, state: 'failed', detail: `the CA certificate that API servers trust expired on ${date}` };
  const state = end - now < soonMs ? 'warning' : 'ok';
  return { check, state, detail: `the CA certificate that API servers trust expires on ${date}` };
}

/** Whether the webhooks know whom they answer, and whether others tried. */
function callers({ validating, mutating }: Known, { unproven, now }: HealthFacts): OperatorCheck {
  const check = 'callers';
  if (validating?.bare === true || mutating?.bare === true) {
    const detail =
      'any pod can guess the paths of the webhooks: the leading replica replaces them, or logs why it cannot';
    return { check, state: 'warning', detail };
  }
  if (unproven.kind === 'denied') return { check, state: 'unknown', detail: unproven.why };
  const seen = unproven.kind === 'read' ? unproven.items.filter(({ lastMs }) => !Number.isNaN(lastMs)) : [];
  const [last] = seen.toSorted((left, right) => right.lastMs - left.lastMs);
  if (last === undefined)
    return { check, state: 'ok', detail: 'API servers prove their identity, and no other caller was seen lately' };
  const ageSeconds = Math.max(0, Math.round((now - last.lastMs) / 1_000));
  return { check, state: 'warning', detail: `${last.message} (last seen ${ageSeconds}s ago)` };
}

function running(facts: HealthFacts): readonly OperatorCheck[] {
  const { deployment, leader, operatorNamespace, now } = facts;
  // Without the webhooks the operator's namespace is a guess, and what is not there may be elsewhere.
  const guessed = facts.registrations.kind === 'unknown';
  const leads = guessed && leader.kind === 'absent' ? unseen('leader') : leading(leader, operatorNamespace, now);
  const none = `there is no Deployment in ${operatorNamespace}`;
  const outside: OperatorCheck =
    leads.state === 'ok'
      ? {
          check: 'operator',
          state: 'ok',
          detail: `running outside the cluster (no Deployment in ${operatorNamespace}); leader elected`,
        }
      : guessed
        ? unseen('operator')
        : { check: 'operator', state: 'failed', detail: none };
  return [
    workload('operator', deployment, deploymentReadiness, outside, 'all replicas are up to date and available'),
    leads,
    workload(
      'agents',
      facts.agents,
      agentsReadiness,
      agentsOutside(facts),
      'available on every node that should have one',
    ),
  ];
}

function unseen(check: string): OperatorCheck {
  return { check, state: 'unknown', detail: 'whether an operator is installed cannot be seen with your rights' };
}

/** Without a DaemonSet agents may run elsewhere: then their leases show it. */
function agentsOutside({ world, leases, operatorNamespace }: HealthFacts): OperatorCheck {
  const check = 'agents';
  const probed = new Set<string>();
  for (const state of world.namespaces()) {
    for (const { node, live } of state.probedPods) if (live && node !== undefined) probed.add(node);
  }
  if (probed.size === 0) return { check, state: 'ok', detail: 'none, and no pod in view has a disruption probe' };
  const silent = [...probed].filter((node) => leases.get(node)?.state !== 'fresh').sort();
  const none = `there is no DaemonSet in ${operatorNamespace}`;
  return silent.length === 0
    ? {
        check,
        state: 'ok',
        detail: `running outside the cluster (no DaemonSet in ${operatorNamespace}); the leases of ${counted(probed.size, 'node')} are fresh`,
      }
    : { check, state: 'failed', detail: `${none}, and no agent runs the probes of pods on ${someOf(silent)}` };
}

function workload<T>(
  check: string,
  found: ReadObject<T>,
  readiness: (object: T) => InstallReadiness,
  absent: OperatorCheck,
  well: string,
): OperatorCheck {
  if (found.kind === 'denied') return { check, state: 'unknown', detail: found.why };
  if (found.kind === 'absent') return absent;
  const ready = readiness(found.object);
  return ready.kind === 'ready' ? { check, state: 'ok', detail: well } : { check, state: 'failed', detail: ready.text };
}

function leading(found: ReadObject<Lease>, namespace: string, now: number): OperatorCheck {
  const check = 'leader';
  if (found.kind === 'denied') return { check, state: 'unknown', detail: found.why };
  const spec = found.kind === 'found' ? found.object.spec : undefined;
  const holder = spec?.holderIdentity ?? '';
  if (holder === '')
    return { check, state: 'failed', detail: `no replica leads in ${namespace}: statuses and ledgers are not updated` };
  const ageSeconds = Math.round((now - Date.parse(String(spec?.renewTime ?? ''))) / 1_000);
  if (Number.isNaN(ageSeconds))
    return { check, state: 'unknown', detail: `${holder}; its renewal time cannot be read` };
  const detail = `${holder}, renewed ${Math.max(0, ageSeconds)}s ago`;
  return ageSeconds <= (spec?.leaseDurationSeconds ?? 0)
    ? { check, state: 'ok', detail }
    : { check, state: 'failed', detail: `${detail}, which is too long ago; check that a replica is running` };
}

function guards({ world, namespaces, operatorNamespace }: HealthFacts, registered: PodWebhooks): OperatorCheck {
  const check = 'guard';
  const needed = [...world.namespaces()]
    .filter((state) => !state.terminating && needsGuard(state))
    .map(({ name }) => name);
  const unread = needed.filter((name) => !namespaces.has(name));
  const open = needed.flatMap((name) => {
    const namespace = namespaces.get(name);
    const guard = namespace === undefined ? undefined : guardFor(namespace, operatorNamespace, registered);
    return guard?.kind === 'off' ? [`${name}: ${guard.message}`] : [];
  });
  if (open.length > 0) {
    const more = open.length > maxListed ? ` (and ${open.length - maxListed} more)` : '';
    return { check, state: 'warning', detail: `${open.slice(0, maxListed).join('; ')}${more}` };
  }
  if (unread.length > 0)
    return { check, state: 'unknown', detail: `namespaces cannot be read: ${unread.slice(0, maxListed).join(', ')}` };
  const detail = needed.length === 0 ? 'nothing in view needs it' : `on: ${someOf(needed)}`;
  return { check, state: 'ok', detail };
}

function foreign({ foreign: others }: Known): OperatorCheck | undefined {
  if (others.length === 0) return undefined;
  const titles = someOf(others.map(({ title }) => title));
  const detail = `other webhooks judge evictions, and Holdfast completes none there: ${titles}`;
  return { check: 'other webhooks', state: 'warning', detail };
}

function kruise({ kruise: present }: Known): OperatorCheck | undefined {
  if (!present) return undefined;
  const detail = 'Kruise is registered for PodUnavailableBudgets: Holdfast leaves them to it and does not show them';
  return { check: 'kruise', state: 'warning', detail };
}

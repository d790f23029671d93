import type { Blocker, BudgetRef, Charge, Verdict } from '../../core/verdict.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Decision } from './pod-handler.ts';
import type { OperatorIdentity } from './pod-request.ts';
import { isFree } from './verify.ts';
import type { ClientWords } from './wire/review.ts';

/**
 * The audit trail: one line and one increment for each decision on a disruption of a protected pod. docs/reference/audit.md is its format,
 * which other programs read: fields are added, never changed.
 */

export type AuditOutcome =
  /** The request went on to the API server's own checks. */
  | 'allowed'
  /** Allowed, and Holdfast deleted the pod in the eviction's place. */
  | 'completed'
  | 'refused'
  /** It would have been refused, and passed because the namespace is only observed. */
  | 'observed';

export interface AuditRecord {
  readonly outcome: AuditOutcome;
  readonly actor: ActorClass;
  readonly fields: Readonly<Record<string, unknown>>;
}

const auditMessage = 'disruption decided';

/**
 * Undefined: nothing was judged, because no budget and no probe protects the pod, or the request is exempt.
 * @param own the user that our own requests come from
 */
export function auditOf(decision: Decision, own: string): AuditRecord | undefined {
  const { request, verdict, mode, client } = decision;
  if (isFree(verdict)) return undefined;
  const outcome = outcomeOf(decision);
  const actor = actorClassOf(client, own);
  const { operation, namespace, pod, uid, dryRun = false } = request;
  const judged = uid ?? (verdict.result === 'allow' ? verdict.effects.target?.uid : undefined);
  const { user, requestedBy, reason: why } = client;
  return {
    outcome,
    actor,
    fields: {
      outcome,
      operation,
      namespace,
      pod,
      uid: judged,
      dryRun,
      mode,
      user,
      actor,
      requestedBy,
      clientReason: why,
      reasons: reasonsOf(verdict),
      budgets: budgetsOf(verdict),
    },
  };
}

function outcomeOf({ verdict, mode }: Decision): AuditOutcome {
  if (verdict.result === 'deny') return mode === 'observe' ? 'observed' : 'refused';
  return verdict.effects.complete === 'takeover' ? 'completed' : 'allowed';
}

function reasonsOf(verdict: Verdict): readonly string[] {
  return verdict.result === 'allow' ? [verdict.reason] : [...new Set(verdict.blockers.map((one) => one.code))];
}

/** A pod under more budgets than this is a mistake that others tell of. */
const maxBudgets = 8;

function budgetsOf(verdict: Verdict): readonly object[] {
  const said: readonly (Charge | Blocker)[] = verdict.result === 'allow' ? verdict.charges : verdict.blockers;
  return said
    .filter((one) => one.budget !== undefined)
    .slice(0, maxBudgets)
    .map(({ budget, unit, available, desired, ...rest }) => ({
      budget: budget === undefined ? '' : `${budget.kind}/${budget.name}`,
      unit,
      available,
      desired,
      ...('effect' in rest ? { effect: rest.effect } : { refusal: rest.code }),
    }));
}

export interface Audit {
  decided(decision: Decision): void;
}

/** Series for this many budgets in one replica: one that is refused for after that counts among the others. */
const maxSeries = 1_000;
const others = { namespace: '', kind: '', budget: 'other' } as const;

/** @param self kept, because its name may become known later */
export function createAudit(log: Logger, metrics: Metrics, self: OperatorIdentity): Audit {
  const disruptions = metrics.counter({
    name: 'disruptions_total',
    help: 'Decisions on disruptions of protected pods, as in the audit trail.',
    labels: ['operation', 'outcome', 'actor', 'dry_run'],
  });
  const refusals = metrics.counter({
    name: 'budget_refusals_total',
    help: 'Refusals of disruptions by budget and by who asked. Dry runs are not counted.',
    labels: ['namespace', 'kind', 'budget', 'actor', 'outcome'],
  });
  const known = new Set<string>();
  const labelsOf = (ref: BudgetRef) => {
    const { namespace, kind, name } = ref;
    const key = `${kind}/${namespace}/${name}`;
    if (!known.has(key) && known.size >= maxSeries) return others;
    known.add(key);
    return { namespace, kind, budget: name };
  };
  return {
    decided(decision) {
      const record = auditOf(decision, self.username);
      if (record === undefined) return;
      const { outcome, actor, fields } = record;
      const { operation, dryRun = false } = decision.request;
      log.info(auditMessage, fields);
      disruptions.add({ operation, outcome, actor, dry_run: String(dryRun) });
      if (dryRun || decision.verdict.result === 'allow') return;
      for (const ref of refusing(decision.verdict.blockers)) refusals.add({ ...labelsOf(ref), actor, outcome });
    },
  };
}

/** Each budget once, however many reasons it has. */
function refusing(blockers: readonly Blocker[]): readonly BudgetRef[] {
  const refs = new Map<string, BudgetRef>();
  for (const { budget } of blockers) if (budget !== undefined) refs.set(`${budget.kind}/${budget.name}`, budget);
  return [...refs.values()];
}

/** Who asks, in few words: names of users have no end, and every value of a label is a series. */
const actorClasses = [
  'holdfast',
  'node',
  'control-plane',
  'autoscaler',
  'descheduler',
  'service-account',
  'user',
] as const;
export type ActorClass = (typeof actorClasses)[number];

const accounts = 'system:serviceaccount:';

/** @param own the user that our own requests come from */
export function actorClassOf({ user, requestedBy = '' }: ClientWords, own: string): ActorClass {
  if (user === own) return 'holdfast';
  if (user.startsWith('system:node:')) return 'node';
  const account = user.startsWith(accounts) ? user.slice(accounts.length) : undefined;
  // By name, because they have no other mark: an account that is given such a name is counted there.
  const name = account ?? user;
  if (/karpenter|autoscaler/.test(name)) return 'autoscaler';
  if (requestedBy.endsWith('/descheduler') || /descheduler/.test(name)) return 'descheduler';
  if (account?.startsWith('kube-system:') === true || /^system:kube-/.test(user)) return 'control-plane';
  return account === undefined ? 'user' : 'service-account';
}

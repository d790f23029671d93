import type { DisruptionRequest, Operation } from '../../core/request.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Logger } from '../../telemetry/log.ts';
import { type Metrics, requestBuckets } from '../../telemetry/metrics.ts';
import type { DisruptionEvents } from './disruption-events.ts';
import type { DecisionObserver } from './pod-handler.ts';
import type { Completion } from './takeover.ts';

export interface DecisionMetrics {
  verdict(operation: Operation, verdict: Verdict, seconds: number): void;
  takeover(result: Completion['kind']): void;
}

export function createDecisionMetrics(metrics: Metrics): DecisionMetrics {
  const verdicts = metrics.counter({
    name: 'verdicts_total',
    help: 'Verdicts on requests to disrupt a pod, dry runs among them, by their first reason.',
    labels: ['operation', 'result', 'reason'],
  });
  const durations = metrics.histogram(
    {
      name: 'verdict_duration_seconds',
      help: 'Time from a request to disrupt a pod to its verdict, ledger and takeover included.',
      labels: ['operation'],
    },
    requestBuckets,
  );
  const takeovers = metrics.counter({
    name: 'takeovers_total',
    help: 'Deletions with which evictions were completed, by what became of them.',
    labels: ['result'],
  });
  return {
    verdict(operation, verdict, seconds) {
      verdicts.add({ operation, result: verdict.result, reason: firstReason(verdict) });
      durations.observe({ operation }, seconds);
    },
    takeover: (result) => takeovers.add({ result }),
  };
}

function firstReason(verdict: Verdict): string {
  return verdict.result === 'allow' ? verdict.reason : (verdict.blockers[0]?.code ?? 'none');
}

/** One line for each verdict; refusals are what people ask about afterwards. */
export function logDecision(log: Logger, request: DisruptionRequest, verdict: Verdict, user: string): void {
  const { operation, namespace, pod, dryRun = false } = request;
  const asked = { operation, namespace, pod, user, dryRun };
  if (verdict.result === 'allow') {
    const { reason, charges, effects } = verdict;
    const budgets = charges.map(({ budget }) => `${budget.kind}/${budget.name}`);
    log.debug('disruption allowed', { ...asked, reason, budgets, complete: effects.complete });
    return;
  }
  const reasons = [...new Set(verdict.blockers.map((one) => one.code))];
  const first = verdict.blockers.find((one) => one.budget !== undefined);
  const numbers =
    first?.budget === undefined
      ? {}
      : {
          budget: `${first.budget.kind}/${first.budget.name}`,
          unit: first.unit,
          available: first.available,
          desired: first.desired,
        };
  log.info('disruption refused', { ...asked, reasons, ...numbers });
}

export interface DecisionTellers {
  readonly metrics: DecisionMetrics;
  readonly log: Logger;
  readonly events: DisruptionEvents;
}

/** Tells of every verdict in each of the three ways. */
export function decisionObserver({ metrics, log, events }: DecisionTellers): DecisionObserver {
  return {
    decided(request, verdict, user, milliseconds) {
      metrics.verdict(request.operation, verdict, milliseconds / 1_000);
      logDecision(log, request, verdict, user);
      events.decided(request, verdict);
    },
    completed({ namespace, pod }, completion) {
      metrics.takeover(completion.kind);
      const told = { namespace, pod, result: completion.kind };
      if ('message' in completion) log.warn('takeover not completed', { ...told, error: completion.message });
      else log.debug('takeover completed', told);
    },
  };
}

import { describe, expect, it } from 'vitest';
import { aReservation } from '../../../../../test/support/builders.ts';
import { blocker, deny } from '../../../src/core/decide/refusal.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { Allowed, Verdict } from '../../../src/core/verdict.ts';
import { createAudit } from '../../../src/operator/admission/audit.ts';
import { createDecisionMetrics, decisionObserver } from '../../../src/operator/admission/decisions.ts';
import { createLedgerEvents } from '../../../src/operator/admission/ledger.ts';
import type { Decision } from '../../../src/operator/admission/pod-handler.ts';
import { createViewMetrics } from '../../../src/operator/handlers/view-metrics.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

const request: DisruptionRequest = { operation: 'EVICT', namespace: 'shop', pod: 'web-0' };
const pod = { name: 'web-0' };
const budget = { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'llm' } as const;
const exhausted = deny([
  blocker('ProbeVeto', { pod }),
  blocker('BudgetExhausted', { pod, budget, unit: 'g1', unitKind: 'group', available: 2, desired: 2 }),
  blocker('BudgetExhausted', { pod, budget: { ...budget, name: 'all' }, unit: 'g1', available: 7, desired: 7 }),
]);
const allowed: Allowed = {
  result: 'allow',
  reason: 'WithinBudget',
  charges: [{ budget, unit: 'g1', unitKind: 'group', effect: 'breaks', available: 3, desired: 2 }],
  effects: { complete: 'takeover', target: { pod: 'web-0', uid: 'uid-web-0' } },
};

function decision(verdict: Verdict, more: Partial<Decision> = {}): Decision {
  return { request, verdict, mode: 'enforce', client: { user: 'alice' }, milliseconds: 1, ...more };
}

function journal() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { lines, log: createLogger({ level: 'debug', format: 'json', now: () => 0, write }) };
}

describe('a verdict', () => {
  it.each<readonly [string, Verdict, string]>([
    ['refused', exhausted, 'operation="EVICT",result="deny",reason="ProbeVeto"'],
    ['allowed', allowed, 'operation="EVICT",result="allow",reason="WithinBudget"'],
  ])('that is %s is counted by its first reason, with the time it took', async (_, verdict, labels) => {
    const metrics = createMetrics();
    createDecisionMetrics(metrics).verdict(decision(verdict, { milliseconds: 4 }));
    const text = await metrics.render();
    expect(text).toContain(`holdfast_verdicts_total{${labels}} 1`);
    expect(text).toContain('holdfast_verdict_duration_seconds_sum{operation="EVICT"} 0.004');
  });

  it('[E1] that would refuse, and passed because the namespace is observed, is counted as observed', async () => {
    const metrics = createMetrics();
    createDecisionMetrics(metrics).verdict(decision(exhausted, { mode: 'observe' }));
    expect(await metrics.render()).toContain(
      'holdfast_verdicts_total{operation="EVICT",result="observed",reason="ProbeVeto"} 1',
    );
  });
});

describe('an observer of decisions', () => {
  function observed() {
    const metrics = createMetrics();
    const told: string[] = [];
    const { lines, log } = journal();
    const events = { decided: ({ request: { pod: name } }: Decision) => void told.push(name) };
    const audit = createAudit(log, metrics, { username: 'operator' });
    const observer = decisionObserver({ metrics: createDecisionMetrics(metrics), log, audit, events });
    return { observer, metrics, lines, told };
  }

  it('counts, logs and tells', async () => {
    const { observer, metrics, lines, told } = observed();
    observer.decided(decision(exhausted, { milliseconds: 1_500 }));
    expect(await metrics.render()).toContain('holdfast_verdict_duration_seconds_sum{operation="EVICT"} 1.5');
    expect(lines).toMatchObject([{ msg: 'disruption decided', outcome: 'refused', user: 'alice' }]);
    expect(told).toEqual(['web-0']);
  });

  it.each([
    [{ kind: 'deleted' }, 'debug'],
    [{ kind: 'gone' }, 'debug'],
    [{ kind: 'moved', message: 'm' }, 'warn'],
    [{ kind: 'refused', message: 'm' }, 'warn'],
    [{ kind: 'unknown', message: 'm' }, 'warn'],
  ] as const)('counts a takeover that ended so: %j', async (completion, level) => {
    const { observer, metrics, lines } = observed();
    observer.completed(request, completion);
    expect(await metrics.render()).toContain(`holdfast_takeovers_total{result="${completion.kind}"} 1`);
    expect(lines).toMatchObject([{ level, pod: 'web-0', result: completion.kind }]);
  });
});

describe('what happens to a ledger', () => {
  it('is counted', async () => {
    const metrics = createMetrics();
    const { lines, log } = journal();
    const events = createLedgerEvents(metrics, log);
    events.batch?.('shop', 40, 3, 2);
    events.wrote?.('shop', 'batch', 'conflict', 20);
    events.wrote?.('shop', 'batch', 'failed', 3_000);
    events.abandoned?.('shop', 'web-0');
    events.released?.('shop', aReservation('web-1'), 'gone');
    const text = await metrics.render();
    for (const line of [
      'ledger_batch_requests_bucket{le="25"} 0',
      'ledger_batch_requests_bucket{le="50"} 1',
      'ledger_reservations_total 3',
      'ledger_writes_total{writer="batch",outcome="conflict"} 1',
      'ledger_writes_total{writer="batch",outcome="failed"} 1',
      'ledger_write_duration_seconds_sum{writer="batch"} 3.02',
      'ledger_reservations_abandoned_total 1',
      'ledger_reservations_released_total{reason="gone"} 1',
    ]) {
      expect(text).toContain(`holdfast_${line}\n`);
    }
    expect(lines.filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'warn', msg: 'ledger not written', namespace: 'shop', outcome: 'failed' },
      { level: 'info', msg: 'reservation abandoned', pod: 'web-0' },
    ]);
  });
});

describe('the view', () => {
  it('is shown as it is at the moment of the scrape', async () => {
    const metrics = createMetrics();
    const state = {
      ages: new Map([['pods', Number.POSITIVE_INFINITY]]),
      versionOf: (collection: string) => (collection === 'pods' ? undefined : '7'),
      leads: false,
    };
    let now: Parameters<typeof createViewMetrics>[1] = () => state;
    createViewMetrics(metrics, () => now());
    const first = await metrics.render();
    expect(first).toContain('holdfast_view_age_seconds{collection="pods"} +Inf\n');
    expect(first).toContain('holdfast_view_synced{collection="pods"} 0\n');
    expect(first).toContain('holdfast_view_synced{collection="pdbs"} 1\n');
    expect(first).not.toContain('holdfast_view_resource_version{collection="pods"}');
    expect(first).toContain('holdfast_leader 0\n');
    now = () => ({ ages: new Map([['pods', 2.5]]), versionOf: () => '42', leads: true });
    const second = await metrics.render();
    expect(second).toContain('holdfast_view_age_seconds{collection="pods"} 2.5\n');
    expect(second).toContain('holdfast_view_synced{collection="pods"} 1\n');
    expect(second).toContain('holdfast_view_resource_version{collection="pods"} 42\n');
    expect(second).toContain('holdfast_leader 1\n');
  });
});

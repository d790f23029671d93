import { describe, expect, it } from 'vitest';
import { blocker, deny } from '../../../src/core/decide/refusal.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { Allowed, Verdict } from '../../../src/core/verdict.ts';
import { type Audit, actorClassOf, auditOf, createAudit } from '../../../src/operator/admission/audit.ts';
import type { Decision } from '../../../src/operator/admission/pod-handler.ts';
import { clientWordsOf, readReview } from '../../../src/operator/admission/wire/review.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { evictionWish, reviewText } from './reviews.ts';

const operator = 'system:serviceaccount:holdfast-system:holdfast';
const request: DisruptionRequest = { operation: 'EVICT', namespace: 'shop', pod: 'web-0', uid: 'u1' };
const pod = { name: 'web-0' };
const budget = { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'llm' } as const;
const refused = deny([
  blocker('ProbeVeto', { pod }),
  blocker('BudgetExhausted', { pod, budget, unit: 'g1', unitKind: 'group', available: 2, desired: 2 }),
]);
const target = { pod: 'web-0', uid: 'u1' };
const completed: Allowed = {
  result: 'allow',
  reason: 'WithinBudget',
  charges: [{ budget, unit: 'g1', unitKind: 'group', effect: 'breaks', available: 3, desired: 2 }],
  effects: { complete: 'takeover', target },
};
const passed: Allowed = { ...completed, effects: { complete: 'pass', target } };
const free: Allowed = { result: 'allow', reason: 'NotProtected', charges: [], effects: { complete: 'pass' } };

function decision(verdict: Verdict, more: Partial<Decision> = {}): Decision {
  return { request, verdict, mode: 'enforce', client: { user: 'alice' }, milliseconds: 1, ...more };
}

function journal(): { audit: Audit; lines: Record<string, unknown>[]; render: () => Promise<string> } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const metrics = createMetrics();
  const log = createLogger({ level: 'info', format: 'json', now: () => 0, write });
  return { audit: createAudit(log, metrics, { username: operator }), lines, render: () => metrics.render() };
}

describe('[T1] the audit line of a decision', () => {
  it('has who, what, which budgets, numbers and the outcome', () => {
    const { audit, lines } = journal();
    const client = { user: 'alice', requestedBy: 'sigs.k8s.io/descheduler', reason: 'LowNodeUtilization' };
    audit.decided(decision(refused, { client }));
    expect(lines).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        msg: 'disruption decided',
        outcome: 'refused',
        operation: 'EVICT',
        namespace: 'shop',
        pod: 'web-0',
        uid: 'u1',
        dryRun: false,
        mode: 'enforce',
        user: 'alice',
        actor: 'descheduler',
        requestedBy: 'sigs.k8s.io/descheduler',
        clientReason: 'LowNodeUtilization',
        reasons: ['ProbeVeto', 'BudgetExhausted'],
        budgets: [
          { budget: 'PodDisruptionBudget/llm', unit: 'g1', available: 2, desired: 2, refusal: 'BudgetExhausted' },
        ],
      },
    ]);
  });

  it.each([
    ['refused', decision(refused)],
    ['observed', decision(refused, { mode: 'observe' })],
    ['completed', decision(completed)],
    ['allowed', decision(passed)],
    ['allowed', decision(passed, { mode: 'observe' })],
  ] as const)('says %s', (outcome, one) => {
    expect(auditOf(one, operator)?.outcome).toBe(outcome);
  });

  it('is not written for what nothing protects', async () => {
    const { audit, lines, render } = journal();
    audit.decided(decision(free));
    expect(lines).toEqual([]);
    expect(await render()).not.toContain('holdfast_disruptions_total{');
  });
});

describe('[T1] the metrics of decisions', () => {
  it('count each once, and refusals by budget and class of actor', async () => {
    const { audit, render } = journal();
    for (let i = 0; i < 2; i += 1) audit.decided(decision(refused));
    audit.decided(decision(completed, { client: { user: 'system:serviceaccount:karpenter:karpenter' } }));
    const text = await render();
    for (const line of [
      'holdfast_disruptions_total{operation="EVICT",outcome="refused",actor="user",dry_run="false"} 2',
      'holdfast_disruptions_total{operation="EVICT",outcome="completed",actor="autoscaler",dry_run="false"} 1',
      'holdfast_budget_refusals_total{namespace="shop",kind="PodDisruptionBudget",budget="llm",actor="user",outcome="refused"} 2',
    ])
      expect(text).toContain(line);
  });

  it('count dry runs apart, and not among the refusals of a budget', async () => {
    const { audit, render } = journal();
    audit.decided(decision(refused, { request: { ...request, dryRun: true } }));
    const text = await render();
    expect(text).toContain('dry_run="true"} 1');
    expect(text).not.toContain('holdfast_budget_refusals_total{');
  });

  it('have no more series than a thousand budgets make, and one for all others', async () => {
    const { audit, render } = journal();
    for (let i = 0; i < 1_200; i += 1) {
      audit.decided(decision(deny([blocker('BudgetExhausted', { pod, budget: { ...budget, name: `b${i}` } })])));
    }
    const series = (await render()).split('\n').filter((line) => line.startsWith('holdfast_budget_refusals_total{'));
    expect(series).toHaveLength(1_001);
    expect(series.some((line) => line.includes('budget="other"') && line.endsWith(' 200'))).toBe(true);
  });
});

describe('who asks', () => {
  it.each([
    [operator, undefined, 'holdfast'],
    ['system:node:node-1', undefined, 'node'],
    ['system:serviceaccount:kube-system:cluster-autoscaler', undefined, 'autoscaler'],
    ['system:serviceaccount:kube-system:node-controller', undefined, 'control-plane'],
    ['system:kube-controller-manager', undefined, 'control-plane'],
    ['system:serviceaccount:ops:cleaner', 'sigs.k8s.io/descheduler', 'descheduler'],
    ['system:serviceaccount:ops:cleaner', 'a-person', 'service-account'],
    ['alice', undefined, 'user'],
  ] as const)('%s, on behalf of %s, is a %s', (user, requestedBy, actor) => {
    expect(actorClassOf({ user, ...(requestedBy === undefined ? {} : { requestedBy }) }, operator)).toBe(actor);
  });

  it('is in the Eviction, as the descheduler writes it, cut to a bounded length', () => {
    const wish = evictionWish();
    const annotations = { 'requested-by': 'sigs.k8s.io/descheduler', reason: 'x'.repeat(1_000), other: 'y' };
    const text = reviewText(wish).replace('"metadata":{', `"metadata":{"annotations":${JSON.stringify(annotations)},`);
    const read = readReview(Buffer.from(text));
    if (!read.ok) throw new Error(read.problem);
    expect(clientWordsOf(read.request)).toEqual({
      user: read.request.username,
      requestedBy: 'sigs.k8s.io/descheduler',
      reason: 'x'.repeat(256),
    });
  });
});

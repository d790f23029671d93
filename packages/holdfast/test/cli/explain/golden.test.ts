import { describe, expect, it } from 'vitest';
import { aPub, ns } from '../../../../../test/support/builders.ts';
import { budgetText } from '../../../src/cli/explain/budget-text.ts';
import type { DryRun } from '../../../src/cli/explain/dry-run.ts';
import { explainBudget } from '../../../src/cli/explain/explain-budget.ts';
import { explainNode } from '../../../src/cli/explain/explain-node.ts';
import { explainPod, type PodExplanation } from '../../../src/cli/explain/explain-pod.ts';
import { nodeText } from '../../../src/cli/explain/node-text.ts';
import { podText } from '../../../src/cli/explain/pod-text.ts';
import { plain } from '../../../src/cli/output/paint.ts';
import type { Operation } from '../../../src/core/request.ts';
import type { LiveWorld } from '../../../src/observe/once/live-world.ts';
import { expectGolden } from '../golden.ts';
import { aNamespace, notRegistered, readAt, registered } from '../live-world.ts';
import { aShop } from '../worlds.ts';

const words = { paint: plain, now: readAt };
const allowed: DryRun = { kind: 'allowed' };

function explained(
  live: LiveWorld,
  name: string,
  said: DryRun = allowed,
  operation: Operation = 'EVICT',
): PodExplanation {
  const type = 'Disruptable';
  const lastTransitionTime = '2026-01-01T11:57:00Z';
  const condition = {
    type,
    status: name === 'db-1' ? 'False' : 'True',
    lastTransitionTime,
    message: 'HTTP 503',
  } as const;
  const conditions = name.startsWith('db') ? [condition] : [];
  const found = explainPod(live, { namespace: ns, name, operation, conditions, said });
  if (found === undefined) throw new Error(`there is no pod ${name}`);
  return found;
}

const byWebhook: DryRun = {
  kind: 'refused',
  by: 'webhook',
  code: 429,
  message: 'admission webhook "eviction.holdfast.dev" denied the request: not now',
};
const byBuiltin: DryRun = { kind: 'refused', by: 'builtin', code: 429, message: 'Cannot evict pod.' };

describe('a pod, explained', () => {
  it.each([
    ['whose group is the last that serves', 'pod-last-group', 'llm-1-1', byWebhook, false],
    ['whose group is down', 'pod-group-down', 'llm-0', allowed, true],
    ['that says no', 'pod-probe-no', 'db-1', byWebhook, false],
    ['that no agent confirms', 'pod-probe-stale', 'db-2', { kind: 'denied', why: 'pods "db-2" is forbidden' }, false],
    ['that the built-in check judges', 'pod-plain', 'web-0', byBuiltin, true],
    ['that is about to go', 'pod-reserved', 'web-2', allowed, true],
    ['that no budget protects', 'pod-unprotected', 'loose', allowed, true],
  ] as const)('%s', (_, file, name, said, may) => {
    const explanation = explained(aShop(), name, said);
    expect(explanation.answer.may).toBe(may);
    expectGolden(file, `${podText(explanation, words)}\n`);
  });

  it('whose delete is asked about, which Kubernetes does not check', () => {
    const explanation = explained(aShop(), 'db-0', { kind: 'skipped' }, 'DELETE');
    expect(explanation.answer.may).toBe(false);
    expectGolden('pod-delete', `${podText(explanation, words)}\n`);
  });

  it('where no operator is registered: the built-in check decides, and what we would say is said', () => {
    const explanation = explained({ ...aShop(), registrations: notRegistered }, 'llm-1-1', allowed);
    expect(explanation.answer).toMatchObject({ may: true, by: 'kubernetes' });
    expect(explanation.api.comparison.kind).toBe('agrees');
    expectGolden('pod-no-operator', `${podText(explanation, words)}\n`);
  });
});

describe('whether Holdfast is asked', () => {
  const unlabelled = new Map([[ns, aNamespace({})]]);
  const failurePolicy = registered((one) => ({
    ...one,
    webhooks: (one['webhooks'] as object[]).map((webhook) => ({ ...webhook, failurePolicy: 'Ignore' })),
  }));
  it.each([
    ['it is', {}, 'yes'],
    ['the label is missing', { namespaces: unlabelled }, 'no'],
    ['the namespace may not be read', { namespaces: new Map() }, 'unknown'],
    ['webhook configurations may not be read', { registrations: { kind: 'unknown', why: 'forbidden' } }, 'unknown'],
    ['no webhook is registered', { registrations: notRegistered }, 'no'],
    ['it is registered so that it may be passed over', { registrations: failurePolicy }, 'unknown'],
  ] as const)('where %s', (_, change, kind) => {
    expect(explained({ ...aShop(), ...change }, 'llm-1-1').holdfast.asked.kind).toBe(kind);
  });

  it('[P9] completes nothing where other webhooks are unknown', () => {
    const registrations = { kind: 'unknown', why: 'forbidden' } as const;
    const { verdict } = explained({ ...aShop(), registrations }, 'llm-0').holdfast;
    expect(verdict).toMatchObject({ result: 'allow', effects: { complete: 'pass' } });
  });

  it('[P9] completes nothing where another webhook is asked as well', () => {
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/eviction'] }];
    const other = { metadata: { name: 'policy' }, webhooks: [{ name: 'policy.example.com', rules, clientConfig: {} }] };
    const { holdfast } = explained({ ...aShop(), registrations: registered(undefined, [other]) }, 'llm-0');
    expect(holdfast.otherWebhooks).toEqual(['policy.example.com of ValidatingWebhookConfiguration policy']);
    expect(holdfast.verdict).toMatchObject({ result: 'allow', effects: { complete: 'pass' } });
    expect(explained(aShop(), 'llm-0').holdfast.verdict).toMatchObject({ effects: { complete: 'takeover' } });
  });
});

describe('budgets and nodes, explained', () => {
  it.each([
    ['pdb', 'llm', 'pdb-groups'],
    ['pdb', 'web', 'pdb-plain'],
    ['pdb', 'broken', 'pdb-invalid'],
    ['pub', 'db', 'pub-pods'],
  ] as const)('%s/%s', (kind, name, file) => {
    const explanation = explainBudget(aShop(), kind, { namespace: ns, name });
    if (explanation === undefined) throw new Error('it is there');
    expectGolden(file, `${budgetText(explanation, words)}\n`);
  });

  it('[P2] a plain budget that shares pods with another one: it is judged by Holdfast, and why', () => {
    const live = aShop();
    live.world.upsertPub(aPub('front', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 }));
    const explanation = explainBudget(live, 'pdb', { namespace: ns, name: 'web' });
    if (explanation === undefined) throw new Error('it is there');
    expectGolden('pdb-entangled', `${budgetText(explanation, words)}\n`);
    expectGolden('pod-entangled', `${podText(explained(live, 'web-0', byWebhook), words)}\n`);
  });

  it('a budget that is not there is not explained', () => {
    expect(explainBudget(aShop(), 'pub', { namespace: ns, name: 'llm' })).toBeUndefined();
  });

  it.each(['node-1', 'node-3', 'node-4'])('node/%s', (name) => {
    const explanation = explainNode(aShop(), { name, labels: {}, ready: true, cordoned: false });
    expectGolden(name, `${nodeText(explanation, words)}\n`);
  });
});

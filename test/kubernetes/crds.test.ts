import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultNamespace, operatorUser } from '../../packages/holdfast/src/api/installation-names.ts';
import { kubectl, requireTestContext } from './kubectl.ts';

const namespace = 'holdfast-test-crds';

beforeAll(() => {
  requireTestContext();
  expect(kubectl(['apply', '-f', 'deploy/crds'])).toMatchObject({ status: 0 });
  const names = ['crd/podunavailablebudgets.policy.kruise.io', 'crd/disruptionledgers.holdfast.dev'];
  expect(kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names])).toMatchObject({ status: 0 });
  expect(kubectl(['create', 'namespace', namespace])).toMatchObject({ status: 0 });
});

afterAll(() => {
  // Deleted before another test installs them again.
  kubectl(['delete', '-f', 'deploy/crds', '--ignore-not-found']);
  kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
});

function pub(version: string, spec: unknown, annotations: Record<string, string> = {}) {
  const metadata = { name: 'llm', namespace, annotations };
  return { apiVersion: `policy.kruise.io/${version}`, kind: 'PodUnavailableBudget', metadata, spec };
}

describe('the CRDs on a real API server', () => {
  it('have a schema that the API server takes for structural, without complaints', () => {
    const { stdout } = kubectl(['get', '-f', 'deploy/crds', '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: { status: { conditions: { type: string; status: string }[] } }[] };
    for (const { status } of items) {
      expect(status.conditions.filter((one) => one.type === 'NonStructuralSchema')).toEqual([]);
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'NamesAccepted', status: 'True' }));
    }
  });

  it('keep every field of a budget that is written in one version and read in the other', () => {
    const spec = {
      selector: { matchLabels: { app: 'llm' } },
      maxUnavailable: '30%',
      minAvailable: 2,
      protectOperations: ['EVICT', 'RESIZE'],
      protectTotalReplicas: 4,
      ignoredPodSelector: { matchExpressions: [{ key: 'canary', operator: 'Exists' }] },
      podGroupPolicy: { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index', minReadyReplicas: 3 },
    };
    for (const [written, read] of [
      ['v1beta1', 'v1alpha1'],
      ['v1alpha1', 'v1beta1'],
    ] as const) {
      expect(kubectl(['apply', '-f', '-'], pub(written, spec)).stderr).toBe('');
      const { stdout } = kubectl([
        'get',
        `podunavailablebudgets.${read}.policy.kruise.io/llm`,
        '-n',
        namespace,
        '-o',
        'json',
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ apiVersion: `policy.kruise.io/${read}`, spec });
      expect(kubectl(['delete', 'pub', 'llm', '-n', namespace])).toMatchObject({ status: 0 });
    }
  });

  it.each([
    { what: 'an unknown operation', spec: { protectOperations: ['SCALE'] }, says: 'Unsupported value' },
    {
      what: 'a minimum of no pods',
      spec: { podGroupPolicy: { groupLabelKey: 'g', minReadyReplicas: 0 } },
      says: 'minReadyReplicas',
    },
    { what: 'a field that does not exist', spec: { maxUnavailble: 1 }, says: 'unknown field' },
  ])('refuse $what', ({ spec, says }) => {
    const { status, stderr } = kubectl(['create', '--validate=strict', '-f', '-'], pub('v1beta1', spec));
    expect(status).not.toBe(0);
    expect(stderr).toContain(says);
  });

  it('show the columns that people know', () => {
    kubectl(['apply', '-f', '-'], pub('v1beta1', { selector: { matchLabels: { app: 'llm' } }, maxUnavailable: 1 }));
    const [head] = kubectl(['get', 'pub', '-n', namespace]).stdout.split('\n');
    expect(head?.trim().split(/\s+/)).toEqual(['NAME', 'ALLOWED', 'CURRENT', 'DESIRED', 'TOTAL', 'AGE']);
  });

  it('take a ledger with reservations in every state', () => {
    const base = { uid: 'u', operation: 'EVICT', time: '2026-01-01T00:00:00Z', view: '1' };
    const overdue = { phase: 'closed', by: 'holdfast-0', since: '2026-01-01T00:02:00Z', podsVersion: '7' };
    const reservations = [
      { ...base, pod: 'a' },
      { ...base, pod: 'b', generation: 2, overdue },
    ];
    const ledger = {
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'DisruptionLedger',
      metadata: { name: 'default', namespace },
      spec: { reservations, watermark: '42' },
    };
    // Where Holdfast is installed, no other account writes ledgers, whatever its rights.
    const asOperator = ['--as', operatorUser(defaultNamespace), '--as-group', 'system:masters'];
    expect(kubectl(['apply', '-f', '-', ...asOperator], ledger).stderr).toBe('');
    const { stdout } = kubectl(['get', 'disruptionledger', 'default', '-n', namespace, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ spec: { reservations, watermark: '42' } });
  });
});

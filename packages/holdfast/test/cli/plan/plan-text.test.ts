import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { plain } from '../../../src/cli/output/paint.ts';
import { fromFiles } from '../../../src/cli/plan/plan-snapshot.ts';
import { boundText, planText } from '../../../src/cli/plan/plan-text.ts';
import { planNodeOf, ShapeBook } from '../../../src/cli/plan/shape-book.ts';
import { planSvg } from '../../../src/cli/plan/svg.ts';
import type { PlanOptions } from '../../../src/core/plan/input.ts';
import { planDrain } from '../../../src/core/plan/plan-drain.ts';
import type { DrainPlan, LowerBound } from '../../../src/core/plan/plan-result.ts';
import { expectGolden } from '../golden.ts';
import { fleet, nodeNames } from './fleet.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-plan-'));
const file = join(folder, 'fleet.yaml');
writeFileSync(file, fleet());
afterAll(() => rmSync(folder, { recursive: true }));

function plan(nodes: readonly string[], options: Partial<PlanOptions> = {}): DrainPlan {
  return planDrain({ ...fromFiles([file]), drain: nodes }, options);
}

describe('a plan in words', () => {
  it('has the waves, what goes down, what is at its limit, what cannot go and why it is not shorter', () => {
    expectGolden('plan', planText(plan(nodeNames), nodeNames.length, plain));
  });

  it('says which nodes are to be replaced beforehand', () => {
    // Only the gpu pool, and hardly any room in it.
    const all = fromFiles([file]);
    const nodes = all.nodes
      .filter(({ labels }) => labels['pool'] === 'gpu')
      .map((node) => ({ ...node, allocatable: new Map([...node.allocatable, ['cpu', 2_600]]) }));
    const result = planDrain({ ...all, nodes, drain: ['a1', 'a2', 'a3'] }, { maxSurge: 1 });
    expectGolden('plan-surge', planText(result, 3, plain));
  });

  it('says when room was not looked at', () => {
    const result = planDrain({ ...fromFiles([file]), nodes: [], drain: ['b1'] });
    expect(planText(result, 1, plain)).toContain('Room for these pods was not checked');
  });

  it('says when there might be a shorter plan', () => {
    const shorter = { ...plan(['a1', 'a2']), lowerBound: { waves: 1, why: 'oneIsNeeded' } as const };
    expect(planText(shorter, 2, plain)).toMatch(
      /^At least 1 wave: .*\. Whether a plan with fewer than \d+ exists is not known\.$/m,
    );
  });

  it.each<{ bound: LowerBound; want: string }>([
    { bound: { waves: 0, why: 'nothingToDrain' }, want: 'there is nothing to drain' },
    { bound: { waves: 2, why: 'search', tried: 7 }, want: 'all 7 sets of these nodes were tried' },
    {
      bound: { waves: 2, why: 'room', resource: 'cpu', needed: 8_000, free: 4_500 },
      want: 'nodes with 8.0 CPUs are to be emptied, and 4.5 CPUs are free at a time',
    },
    {
      bound: { waves: 2, why: 'room', resource: 'nvidia.com/gpu', needed: 8, free: 4 },
      want: 'nodes with 8 nvidia.com/gpu are to be emptied, and 4 nvidia.com/gpu are free at a time',
    },
  ])('explains the bound "$want"', ({ bound, want }) => {
    expect(boundText(bound)).toBe(want);
  });
});

describe('a snapshot with the ledger of a namespace', () => {
  const ledger = {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'DisruptionLedger',
    metadata: { name: 'default', namespace: 'shop', resourceVersion: '1810' },
    spec: {
      watermark: '1809',
      reservations: [
        { pod: 'web-2', uid: 'uid-web-2', operation: 'EVICT', time: '2026-10-01T00:00:00Z', view: '1808' },
      ],
    },
  };

  it('[M3] is planned like one without: what was allowed then is over', () => {
    const other = join(folder, 'with-ledger.yaml');
    writeFileSync(other, `${fleet()}---\n${stringify(ledger)}`);
    const planned = planDrain({ ...fromFiles([other]), drain: nodeNames });
    expect(planned).toEqual(plan(nodeNames));
  });
});

describe('a plan as a picture', () => {
  it('has a cell for each node, and a strip for each wave', () => {
    expectGolden('plan-svg', planSvg(plan(nodeNames)));
  });

  it('takes names for text', () => {
    const { waves, ...rest } = plan(['b2']);
    const odd = waves.map((wave) => ({ ...wave, nodes: wave.nodes.map((node) => ({ ...node, name: '<b>&"' })) }));
    const svg = planSvg({ ...rest, waves: odd });
    expect(svg).toContain('&lt;b&gt;&amp;&quot;');
    expect(svg).not.toContain('<b>');
  });

  it('shows no more nodes than can be read', () => {
    const { waves, ...rest } = plan(['b2']);
    const [wave] = waves;
    const many = Array.from({ length: 600 }, (_, i) => ({
      name: `n${i}`,
      pods: 1,
      rounds: 1,
      surge: false,
      groups: [],
    }));
    const svg = planSvg({ ...rest, waves: wave === undefined ? [] : [{ ...wave, nodes: many }] });
    expect(svg).toContain('and 100 more nodes');
    expect(svg.match(/<title>/g)).toHaveLength(500);
  });
});

describe('what a pod asks of a node', () => {
  const node = (labels: object, taints: readonly object[] = []) =>
    planNodeOf({ metadata: { name: 'n', labels }, spec: { taints }, status: { allocatable: { cpu: '4' } } });
  const shapeOf = (spec: object) => {
    const book = new ShapeBook();
    book.add({ metadata: { name: 'p', namespace: 'x' }, spec });
    return book.shapeOf('x', 'p');
  };

  it('[M5] is read from its requests, selectors, affinity and tolerations', () => {
    const spec = {
      containers: [{ name: 'a', resources: { requests: { cpu: '500m', memory: '1Gi' } } }],
      terminationGracePeriodSeconds: 5,
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['z'] }] }],
          },
        },
      },
    };
    const shape = shapeOf(spec);
    expect(shape?.requests).toEqual(
      new Map([
        ['cpu', 500],
        ['memory', 1024 ** 3],
      ]),
    );
    expect(shape?.graceSeconds).toBe(5);
    const allows = (labels: object, taints?: readonly object[]) => shape?.allows(node(labels, taints));
    expect(allows({ disk: 'ssd' })).toBe(true);
    expect(allows({ disk: 'hdd' })).toBe(false);
    expect(allows({ disk: 'ssd', zone: 'z' })).toBe(false);
    expect(allows({ disk: 'ssd' }, [{ key: 'gpu', effect: 'NoSchedule' }])).toBe(true);
    expect(allows({ disk: 'ssd' }, [{ key: 'other', effect: 'NoSchedule' }])).toBe(false);
    expect(allows({ disk: 'ssd' }, [{ key: 'other', effect: 'PreferNoSchedule' }])).toBe(true);
  });

  it('[M5] a cordon is no taint that stays', () => {
    const cordoned = planNodeOf({
      metadata: { name: 'n' },
      spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
    });
    expect(cordoned).toMatchObject({ unschedulable: true, taints: [] });
  });

  it('is the same for pods of one kind', () => {
    const book = new ShapeBook();
    for (const name of ['a', 'b']) book.add({ metadata: { name, namespace: 'x' }, spec: { containers: [] } });
    expect(book.shapeOf('x', 'a')).toBe(book.shapeOf('x', 'b'));
    expect(book.shapeOf('y', 'a')).toBeUndefined();
  });

  it.each([{}, { containers: 7 }, { containers: [null, 'x'], tolerations: {} }])('survives %j', (spec) => {
    expect(shapeOf(spec)?.allows(node({}))).toBe(true);
  });
});

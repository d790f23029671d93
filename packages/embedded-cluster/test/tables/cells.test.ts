import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinTypes, defaultColumns } from '../../src/kinds/builtin-types.ts';
import type { KubeObject } from '../../src/objects.ts';
import { builtinCells } from '../../src/tables/cells.ts';

const nowMs = Date.parse('2026-01-02T03:04:05Z');

/** Everything that can be listed, in every version. */
const listable = builtinTypes({ strategies: new Map(), cells: builtinCells })
  .filter(({ verbs }) => verbs.includes('list'))
  .map((type) => ({ type, apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}` }));

function bare(apiVersion: string, kind: string, fields: Record<string, unknown> = {}): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x', creationTimestamp: '2026-01-02T03:04:00Z' }, ...fields };
}

function cellsOf(resource: string, object: Record<string, unknown>): readonly unknown[] {
  const cells = builtinCells.get(resource);
  if (!cells) throw new Error(`${resource} has no cells`);
  return cells({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...object }, nowMs);
}

describe('the cells of every kind', () => {
  it.each(listable)('$apiVersion $type.plural are its own', ({ type }) => {
    expect(type.columns).not.toBe(defaultColumns);
  });

  it.each(listable)('$apiVersion $type.plural fit the columns, even for an empty object', ({ type, apiVersion }) => {
    const cells = type.columns.cells(bare(apiVersion, type.kind), nowMs);
    const { definitions } = type.columns;
    expect(cells).toHaveLength(definitions.length);
    for (const [index, { type: columnType, name }] of definitions.entries()) {
      if (columnType === 'integer') expect(cells[index], name).toBeTypeOf('number');
      if (columnType === 'date') expect(cells[index], name).toBe('2026-01-02T03:04:00Z');
      if (name === 'Name') expect(cells[index]).toBe('x');
      if (name === 'Age') expect(cells[index]).toBe('5s');
    }
  });

  it('fit the columns whatever the object holds', () => {
    const strange = fc.record(
      { spec: fc.jsonValue(), status: fc.jsonValue(), data: fc.jsonValue(), subjects: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...listable), strange, ({ type, apiVersion }, fields) => {
        const cells = type.columns.cells(bare(apiVersion, type.kind, fields), nowMs);
        expect(cells).toHaveLength(type.columns.definitions.length);
      }),
    );
  });
});

describe('the cells of', () => {
  it('a pod show when a container last ended', () => {
    const ended = (finishedAt: string) => ({ terminated: { exitCode: 1, finishedAt } });
    const containerStatuses = [
      { name: 'a', restartCount: 2, lastState: ended('2026-01-02T03:00:05Z'), ready: true, state: { running: {} } },
      { name: 'b', restartCount: 1, lastState: ended('2026-01-02T02:00:05Z') },
    ];
    const spec = { containers: [{ name: 'a' }, { name: 'b' }] };
    const cells = cellsOf('pods', { spec, status: { phase: 'Running', containerStatuses } });
    expect(cells.slice(1, 4)).toEqual(['1/2', 'Running', '3 (4m ago)']);
  });

  it.each([
    ['runs and is ready', [{ type: 'Ready', status: 'True' }], 'Running'],
    ['runs and is not ready', [], 'NotReady'],
  ])('a pod with a completed container, of which the other %s', (_, conditions, reason) => {
    const containerStatuses = [
      { name: 'a', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      { name: 'b', ready: true, state: { running: {} } },
    ];
    expect(cellsOf('pods', { status: { phase: 'Running', conditions, containerStatuses } })[2]).toBe(reason);
  });

  it('a node show its first addresses, its roles and that it is cordoned', () => {
    const addresses = [
      { type: 'Hostname', address: 'n' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: '10.0.0.2' },
    ];
    const cells = cellsOf('nodes', {
      metadata: { name: 'n', labels: { 'node-role.kubernetes.io/b': '', 'kubernetes.io/role': 'a', role: 'no' } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }], addresses },
    });
    expect(cells.slice(0, 3)).toEqual(['n', 'NotReady,SchedulingDisabled', 'a,b']);
    expect(cells.slice(5, 7)).toEqual(['10.0.0.1', '<none>']);
  });

  it('a selector with an unknown operator say so', () => {
    const spec = { selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } };
    expect(cellsOf('apps/deployments', { spec }).at(-1)).toBe('<invalid>');
    expect(cellsOf('apps/replicasets', { spec }).at(-1)).toBe('<error>');
  });

  it('a selector that selects nothing in particular', () => {
    expect(cellsOf('apps/deployments', { spec: { selector: {} } }).at(-1)).toBe('');
    expect(cellsOf('apps/replicasets', { spec: { selector: {} } }).at(-1)).toBe('<none>');
  });

  it('an autoscaler whose metrics have no value yet', () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'memory', target: { averageValue: '1Gi' } } },
      { type: 'Resource', resource: { name: 'cpu', target: {} } },
      { type: 'Unheard' },
    ];
    const currentMetrics = [{ type: 'Resource', resource: { name: 'memory', current: {} } }];
    expect(cellsOf('autoscaling/horizontalpodautoscalers', { spec: { metrics }, status: { currentMetrics } })[2]).toBe(
      'memory: <nil>/1Gi, cpu: <unknown>/<auto> + 1 more...',
    );
    expect(cellsOf('autoscaling/horizontalpodautoscalers', { spec: { metrics: metrics.slice(2) } })[2]).toBe(
      '<unknown type>',
    );
  });

  it('a service without cluster addresses and with an unknown type', () => {
    expect(cellsOf('services', { spec: { type: 'Odd' } }).slice(1, 5)).toEqual([
      'Odd',
      '<none>',
      '<unknown>',
      '<none>',
    ]);
  });
});

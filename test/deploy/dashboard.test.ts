import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPromtool, promtool } from './promtool.ts';

/** The Grafana dashboard: its queries by Prometheus' own parser, its metrics by the page that documents them. */

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(readFileSync('deploy/grafana/holdfast.json', 'utf8')) as {
  readonly panels: readonly Panel[];
};
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const canParse = hasPromtool('the dashboard is checked in part');

/** What Grafana puts in for its variables. */
function filledIn(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'x');
}

describe('the dashboard', () => {
  it.each(queries)('"$title" asks for metrics that exist', ({ expr }) => {
    const documented = readFileSync('docs/reference/metrics.md', 'utf8');
    const named = expr.match(/holdfast_\w+/g) ?? [];
    for (const name of named) expect(documented).toContain(`\`${name.replace(/_bucket$/, '')}\``);
    expect(named.length > 0 || expr.startsWith('process_')).toBe(true);
  });

  it('says of every panel what it shows', () => {
    const silent = panels.filter(({ type, description }) => type !== 'row' && !description?.endsWith('.'));
    expect(silent.map(({ title }) => title)).toEqual([]);
  });

  it('has panels that do not overlap, and ids that exist once', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it.skipIf(!canParse)('has queries that Prometheus can parse', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-dashboard-'));
    const rules = queries.map(({ expr }, index) => ({ record: `query:${index}`, expr: filledIn(expr) }));
    const file = join(folder, 'rules.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect({ status, text: `${stdout}${stderr}` }).toMatchObject({ status: 0 });
  });
});

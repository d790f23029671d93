import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasPromtool, promtool } from './promtool.ts';

/** The alerts, by the tool that Prometheus has for them: each fires when it should, and does not when it should not. */

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const file = 'deploy/monitoring/prometheus-rules.yaml';
const { spec } = parse(readFileSync(file, 'utf8')) as { spec: { groups: readonly { rules: readonly Rule[] }[] } };
const rules = spec.groups.flatMap((group) => group.rules);
const canTestRules = hasPromtool('the rules of alerts are SKIPPED');

interface Case {
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
}

const budget = '{namespace="shop",kind="PodDisruptionBudget",budget="llm"}';
const refusals = `holdfast_budget_refusals_total{namespace="shop",kind="PodDisruptionBudget",budget="llm",actor="user",outcome="refused"}`;
const hour = (value: string) => `${value}x120`;

/** Series by the minute, for two hours. */
const cases: Readonly<Record<string, Case>> = {
  HoldfastDown: { fires: { up: hour('1+0') }, quiet: { 'holdfast_leader{pod="a"}': hour('0+0') } },
  HoldfastNoLeader: {
    fires: { 'holdfast_leader{pod="a"}': hour('0+0'), 'holdfast_leader{pod="b"}': hour('0+0') },
    quiet: { 'holdfast_leader{pod="a"}': hour('0+0'), 'holdfast_leader{pod="b"}': hour('1+0') },
  },
  HoldfastWebhookFailing: {
    fires: { 'holdfast_webhook_calls_total{webhook="/pods",outcome="late",code="429"}': hour('0+6') },
    quiet: { 'holdfast_webhook_calls_total{webhook="/pods",outcome="denied",code="429"}': hour('0+6') },
  },
  HoldfastWebhookSlow: {
    fires: {
      'holdfast_webhook_call_duration_seconds_bucket{webhook="/pods",le="1"}': hour('0+1'),
      'holdfast_webhook_call_duration_seconds_bucket{webhook="/pods",le="5"}': hour('0+10'),
      'holdfast_webhook_call_duration_seconds_bucket{webhook="/pods",le="+Inf"}': hour('0+10'),
    },
    quiet: {
      'holdfast_webhook_call_duration_seconds_bucket{webhook="/pods",le="1"}': hour('0+10'),
      'holdfast_webhook_call_duration_seconds_bucket{webhook="/pods",le="+Inf"}': hour('0+10'),
    },
  },
  HoldfastViewStale: {
    fires: { 'holdfast_view_age_seconds{pod="a",collection="pods"}': hour('20+60') },
    quiet: { 'holdfast_view_age_seconds{pod="a",collection="pods"}': hour('9+0') },
  },
  HoldfastCertificateExpiresSoon: {
    fires: { holdfast_certificate_end_timestamp_seconds: hour('500000+0') },
    quiet: { holdfast_certificate_end_timestamp_seconds: hour('9000000+0') },
  },
  HoldfastLedgerFull: {
    fires: { holdfast_ledger_reservations_largest: hour('1100+0') },
    quiet: { holdfast_ledger_reservations_largest: hour('900+0') },
  },
  HoldfastLedgerContended: {
    fires: {
      'holdfast_ledger_writes_total{writer="batch",outcome="conflict"}': hour('0+6'),
      'holdfast_ledger_writes_total{writer="batch",outcome="stored"}': hour('0+3'),
    },
    quiet: {
      'holdfast_ledger_writes_total{writer="batch",outcome="conflict"}': hour('0+3'),
      'holdfast_ledger_writes_total{writer="batch",outcome="stored"}': hour('0+6'),
    },
  },
  HoldfastAgentStale: {
    fires: { 'holdfast_agent_lease_age_seconds{pod="agent-1"}': hour('41+0') },
    quiet: { 'holdfast_agent_lease_age_seconds{pod="agent-1"}': hour('10+0') },
  },
  HoldfastBudgetNeverAllows: {
    fires: { [`holdfast_budget_never_allows${budget}`]: hour('1+0') },
    quiet: { [`holdfast_budget_never_allows${budget}`]: hour('0+0') },
  },
  HoldfastDrainBlocked: {
    fires: {
      [`holdfast_budget_blocked_seconds${budget}`]: hour('0+60'),
      [`holdfast_budget_never_allows${budget}`]: hour('0+0'),
      [refusals]: hour('0+12'),
    },
    // Blocked, and nothing asks.
    quiet: {
      [`holdfast_budget_blocked_seconds${budget}`]: hour('0+60'),
      [`holdfast_budget_never_allows${budget}`]: hour('0+0'),
      [refusals]: hour('5+0'),
    },
  },
  HoldfastEnforcementOff: {
    fires: { 'holdfast_protected_namespaces{guard="off"}': hour('1+0') },
    quiet: { 'holdfast_protected_namespaces{guard="off"}': hour('0+0') },
  },
  HoldfastBudgetShort: {
    fires: {
      [`holdfast_budget_available_units${budget}`]: hour('1+0'),
      [`holdfast_budget_desired_units${budget}`]: hour('2+0'),
    },
    quiet: {
      [`holdfast_budget_available_units${budget}`]: hour('2+0'),
      [`holdfast_budget_desired_units${budget}`]: hour('2+0'),
    },
  },
  HoldfastUnprovenCalls: {
    fires: { 'holdfast_webhook_unproven_calls_total{lacks="path"}': hour('0+1') },
    quiet: { 'holdfast_webhook_unproven_calls_total{lacks="path"}': hour('3+0') },
  },
};

function seriesOf(all: Readonly<Record<string, string>>) {
  return Object.entries(all).map(([series, values]) => ({ series, values }));
}

/** Fires or not, after 110 minutes; how it is worded is not compared. */
function isFiring(alert: string, series: Readonly<Record<string, string>>): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-alerts-'));
  try {
    writeFileSync(join(folder, 'rules.json'), JSON.stringify(spec));
    const quiet = [{ eval_time: '110m', alertname: alert, exp_alerts: [] }];
    const tests = [{ interval: '1m', input_series: seriesOf(series), alert_rule_test: quiet }];
    writeFileSync(join(folder, 'tests.json'), JSON.stringify({ rule_files: ['rules.json'], tests }));
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', join(folder, 'tests.json')], {
      encoding: 'utf8',
    });
    const text = `${stdout}${stderr}`;
    if (status === 0) return false;
    if (!text.includes(`alertname: ${alert}`)) throw new Error(text);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('alerts', () => {
  it('are tested, each of them', () => {
    expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(cases).sort());
  });

  it.each(rules)('$alert has a runbook that is there', ({ alert, annotations }) => {
    expect(annotations['runbook_url']).toBe(`docs/guides/alerts.md#${alert.toLowerCase()}`);
    expect(readFileSync('docs/guides/alerts.md', 'utf8')).toContain(`\n## ${alert}\n`);
  });

  it.each(rules)('$alert names metrics that exist', ({ expr }) => {
    const documented = readFileSync('docs/reference/metrics.md', 'utf8');
    const named = expr.match(/holdfast_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(documented).toContain(`\`${name.replace(/_bucket$/, '')}\``);
  });
});

describe.skipIf(!canTestRules)('alerts, by promtool', () => {
  it('are rules that Prometheus takes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-alerts-'));
    writeFileSync(join(folder, 'rules.json'), JSON.stringify(spec));
    expect(execFileSync(promtool, ['check', 'rules', join(folder, 'rules.json')], { encoding: 'utf8' })).toContain(
      `${rules.length} rules found`,
    );
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(Object.entries(cases))('%s fires when it should, and only then', (alert, { fires, quiet }) => {
    expect([isFiring(alert, fires), isFiring(alert, quiet)]).toEqual([true, false]);
  });
});

/** The Grafana dashboard: rows of panels as a table, and how Grafana wants them written. */

interface Query {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly kind: 'stat' | 'timeseries' | 'table';
  readonly unit?: 'short' | 's' | 'reqps' | 'bytes' | 'percentunit' | 'dtdurations';
  /** What the panel shows, and what to do when it looks wrong. */
  readonly description: string;
  readonly queries: readonly Query[];
  /** Of 24 columns. */
  readonly width: number;
  /** A value of a `stat` from which on it is yellow, and red. */
  readonly steps?: { readonly warn: number; readonly bad: number };
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const operator = 'namespace="$namespace"';
/** Budgets are shown by the leader alone: two series of one budget are of two leaders, one after the other. */
const budget = 'namespace=~"$budget_namespace"';

const rows: readonly Row[] = [
  {
    title: 'Is anything blocked?',
    panels: [
      {
        title: 'Budgets that block',
        kind: 'stat',
        width: 4,
        description: 'Budgets that would refuse to let one more unit go. Normal while something is down or draining.',
        queries: [
          {
            expr: `count(max by (namespace, kind, budget) (holdfast_budget_blocked_seconds{${budget}}) > 0) or vector(0)`,
            legend: '',
          },
        ],
        steps: { warn: 1, bad: 1_000_000 },
      },
      {
        title: 'Budgets that can never allow',
        kind: 'stat',
        width: 4,
        description:
          'Budgets that need every unit they can have: waiting never helps. Change the budget or the number of replicas.',
        queries: [
          {
            expr: `sum(max by (namespace, kind, budget) (holdfast_budget_never_allows{${budget}})) or vector(0)`,
            legend: '',
          },
        ],
        steps: { warn: 1, bad: 1_000_000 },
      },
      {
        title: 'Budgets below their minimum',
        kind: 'stat',
        width: 4,
        description:
          'Fewer units are available than the budget needs: something broke by itself, or a disruption got past the budget.',
        queries: [
          {
            expr: `count(max by (namespace, kind, budget) (holdfast_budget_available_units{${budget}}) < max by (namespace, kind, budget) (holdfast_budget_desired_units{${budget}})) or vector(0)`,
            legend: '',
          },
        ],
        steps: { warn: 1, bad: 5 },
      },
      {
        title: 'Namespaces without protection',
        kind: 'stat',
        width: 4,
        description:
          'Namespaces with a budget of ours whose requests do not reach Holdfast, or where a person said `disabled`.',
        queries: [{ expr: `max(holdfast_protected_namespaces{guard="off"}) or vector(0)`, legend: '' }],
        steps: { warn: 1, bad: 5 },
      },
      {
        title: 'Longest blocked',
        kind: 'table',
        unit: 's',
        width: 8,
        description: 'Budgets by how long they have refused without a break. `holdfast explain` says what would help.',
        queries: [
          {
            expr: `topk(10, max by (namespace, kind, budget) (holdfast_budget_blocked_seconds{${budget}}) > 0)`,
            legend: '',
          },
        ],
      },
      {
        title: 'Units available, of those needed',
        kind: 'timeseries',
        width: 12,
        description:
          'Available units minus needed ones, for the ten budgets with the least to spare. At 0 nothing more may go.',
        queries: [
          {
            expr: `bottomk(10, max by (namespace, kind, budget) (holdfast_budget_available_units{${budget}}) - max by (namespace, kind, budget) (holdfast_budget_desired_units{${budget}}))`,
            legend: '{{namespace}}/{{budget}}',
          },
        ],
      },
      {
        title: 'Refusals by budget and by who asked',
        kind: 'timeseries',
        unit: 'reqps',
        width: 12,
        description: 'Refused disruptions, without dry runs. A drain that waits repeats its request every few seconds.',
        queries: [
          {
            expr: `topk(10, sum by (namespace, budget, actor) (rate(holdfast_budget_refusals_total{${budget}}[$__rate_interval])))`,
            legend: '{{namespace}}/{{budget}} {{actor}}',
          },
        ],
      },
    ],
  },
  {
    title: 'Decisions',
    panels: [
      {
        title: 'Disruptions of protected pods',
        kind: 'timeseries',
        unit: 'reqps',
        width: 12,
        description: 'By what was asked and what became of it, as in the audit trail.',
        queries: [
          {
            expr: `sum by (operation, outcome) (rate(holdfast_disruptions_total{${operator},dry_run="false"}[$__rate_interval]))`,
            legend: '{{operation}} {{outcome}}',
          },
        ],
      },
      {
        title: 'Time to a decision',
        kind: 'timeseries',
        unit: 's',
        width: 12,
        description:
          'From the request to the decision, with the ledger write and the takeover. API servers wait ten seconds by default.',
        queries: [0.5, 0.99].map((quantile) => ({
          expr: `histogram_quantile(${quantile}, sum by (le) (rate(holdfast_verdict_duration_seconds_bucket{${operator}}[$__rate_interval])))`,
          legend: `p${quantile * 100}`,
        })),
      },
      {
        title: 'Webhook calls',
        kind: 'timeseries',
        unit: 'reqps',
        width: 12,
        description:
          '`late` and `failed` calls are refused where something is protected: look at the log of the replica.',
        queries: [
          {
            expr: `sum by (webhook, outcome) (rate(holdfast_webhook_calls_total{${operator}}[$__rate_interval]))`,
            legend: '{{webhook}} {{outcome}}',
          },
        ],
      },
      {
        title: 'Reservations in ledgers',
        kind: 'timeseries',
        width: 12,
        description: 'Disruptions that were allowed and are not yet seen to have happened. One ledger takes 1,200.',
        queries: [
          { expr: `max(holdfast_ledger_reservations_held{${operator}})`, legend: 'all namespaces' },
          { expr: `max(holdfast_ledger_reservations_largest{${operator}})`, legend: 'largest namespace' },
        ],
      },
    ],
  },
  {
    title: 'The operator and the agents',
    panels: [
      {
        title: 'Replicas that answer',
        kind: 'stat',
        width: 4,
        description: 'Replicas of the operator that Prometheus can scrape.',
        queries: [{ expr: `count(holdfast_leader{${operator}}) or vector(0)`, legend: '' }],
      },
      {
        title: 'Leaders',
        kind: 'stat',
        width: 4,
        description:
          'Exactly one replica leads. Without a leader decisions go on, and statuses, labels and ledgers are not brought up to date.',
        queries: [{ expr: `sum(holdfast_leader{${operator}}) or vector(0)`, legend: '' }],
        steps: { warn: 2, bad: 3 },
      },
      {
        title: 'Certificate ends in',
        kind: 'stat',
        unit: 'dtdurations',
        width: 4,
        description: 'The operator renews it by itself, long before.',
        queries: [{ expr: `min(holdfast_certificate_end_timestamp_seconds{${operator}}) - time()`, legend: '' }],
      },
      {
        title: 'Age of the view',
        kind: 'timeseries',
        unit: 's',
        width: 12,
        description:
          'Time since the view of a collection was last known to be current. From 15 seconds on protected pods are refused.',
        queries: [{ expr: `max by (collection) (holdfast_view_age_seconds{${operator}})`, legend: '{{collection}}' }],
      },
      {
        title: 'Memory',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        description: 'Resident memory of each process.',
        queries: [{ expr: `process_resident_memory_bytes{${operator},pod=~"holdfast.*"}`, legend: '{{pod}}' }],
      },
      {
        title: 'Oldest lease of an agent',
        kind: 'timeseries',
        unit: 's',
        width: 12,
        description: 'Beyond 40 seconds no probed pod of that node counts as disruptable.',
        queries: [{ expr: `topk(5, holdfast_agent_lease_age_seconds{${operator}})`, legend: '{{pod}}' }],
      },
    ],
  },
];

const height: Readonly<Record<Panel['kind'], number>> = { stat: 4, table: 8, timeseries: 8 };
const columns = 24;

/** A dashboard for `Dashboards > Import`, which asks for the data source. */
export function dashboard(): object {
  return {
    __inputs: [
      {
        name: 'DS_PROMETHEUS',
        label: 'Prometheus',
        type: 'datasource',
        pluginId: 'prometheus',
        pluginName: 'Prometheus',
      },
    ],
    uid: 'holdfast',
    title: 'Holdfast',
    tags: ['kubernetes', 'holdfast'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        variable('namespace', 'Namespace of the operator', 'label_values(holdfast_leader, namespace)', false),
        variable(
          'budget_namespace',
          'Namespaces of budgets',
          'label_values(holdfast_budget_desired_units, namespace)',
          true,
        ),
      ],
    },
    panels: placed(),
  };
}

function variable(name: string, label: string, query: string, several: boolean): object {
  return {
    name,
    label,
    type: 'query',
    datasource,
    query,
    refresh: 2,
    sort: 1,
    includeAll: several,
    multi: several,
    ...(several ? { allValue: '.*', current: { text: 'All', value: '$__all' } } : {}),
  };
}

/** Grafana fills the name of the input in when the dashboard is imported. */
const datasource = { type: 'prometheus', uid: ['$', '{DS_PROMETHEUS}'].join('') } as const;

/** From left to right, and down when a line is full. */
function placed(): readonly object[] {
  const panels: object[] = [];
  let y = 0;
  let id = 1;
  for (const row of rows) {
    panels.push({
      id: id++,
      type: 'row',
      title: row.title,
      gridPos: { x: 0, y, w: columns, h: 1 },
      collapsed: false,
      panels: [],
    });
    y += 1;
    let x = 0;
    let tallest = 0;
    for (const panel of row.panels) {
      if (x + panel.width > columns) [x, y, tallest] = [0, y + tallest, 0];
      panels.push({ id: id++, ...written(panel), gridPos: { x, y, w: panel.width, h: height[panel.kind] } });
      x += panel.width;
      tallest = Math.max(tallest, height[panel.kind]);
    }
    y += tallest;
  }
  return panels;
}

function written({ title, kind, unit = 'short', description, queries, steps }: Panel): object {
  return {
    type: kind,
    title,
    description,
    datasource,
    fieldConfig: { defaults: { unit, ...(steps ? { thresholds: thresholdsOf(steps) } : {}) }, overrides: [] },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat: legend,
      ...(kind === 'timeseries' ? {} : { instant: true }),
      ...(kind === 'table' ? { format: 'table' } : {}),
    })),
  };
}

function thresholdsOf({ warn, bad }: { readonly warn: number; readonly bad: number }): object {
  return {
    mode: 'absolute',
    steps: [
      { color: 'green', value: null },
      { color: 'yellow', value: warn },
      { color: 'red', value: bad },
    ],
  };
}

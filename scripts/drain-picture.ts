/** Draws what `holdfast simulate --with ... -o json` printed: when the groups of an application were down, with either budget. */

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What the picture needs of a report. Times are milliseconds from the beginning. */
export interface DrainReport {
  readonly durationMs: number;
  readonly groups: readonly { readonly name: string; readonly down: readonly Span[] }[];
}

export interface Panel {
  readonly title: string;
  readonly report: DrainReport;
}

const width = 840;
const left = 110;
const right = 20;
const laneHeight = 26;
const laneGap = 6;
const panelHead = 52;

/** Each colour has a contrast of at least 4.5 to what is behind it or written on it, in both schemes. */
const style = `
  svg { color-scheme: light dark; }
  text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 15px; }
  .small { font-size: 12px; fill: #57606a; }
  .on { fill: #ffffff; font-size: 12px; font-weight: 600; }
  .card { fill: #ffffff; stroke: #d0d7de; }
  .up { fill: #1a7f37; } .down { fill: #cf222e; }
  .bad { fill: #cf222e; } .good { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; } .on { fill: #ffffff; }
    .card { fill: #0d1117; stroke: #3d444d; } .up { fill: #238636; } .down { fill: #da3633; }
    .bad { fill: #ff7b72; } .good { fill: #3fb950; }
  }`;

/** The longest time for which not one group served. */
export function longestOutage({ groups }: DrainReport): Span | undefined {
  const [first, ...others] = groups.map(({ down }) => down);
  const together = others.reduce<readonly Span[]>((spans, down) => overlaps(spans, down), first ?? []);
  return together.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0];
}

function overlaps(some: readonly Span[], others: readonly Span[]): readonly Span[] {
  return some.flatMap((a) =>
    others
      .map((b) => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }))
      .filter(({ from, to }) => from < to),
  );
}

export function drawDrains(panels: readonly Panel[]): string {
  const end = Math.max(...panels.map(({ report }) => report.durationMs));
  const x = (ms: number): number => left + Math.round((ms / end) * (width - left - right));
  let y = 12;
  const parts = panels.map((panel) => {
    const drawn = drawPanel(panel, x, y);
    y += heightOf(panel) + 18;
    return drawn;
  });
  const height = y + 24;
  const words = panels.map(({ title, report }) => `${title}: ${verdict(report).text}.`).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="words">
<title id="words">${escaped(words)}</title>
<style>${style}
</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
${axis(end, x, y)}
</svg>
`;
}

function heightOf({ report }: Panel): number {
  return panelHead + report.groups.length * (laneHeight + laneGap);
}

function drawPanel({ title, report }: Panel, x: (ms: number) => number, top: number): string {
  const { text, good } = verdict(report);
  const lanes = report.groups.map(({ name, down }, index) => {
    const y = top + panelHead + index * (laneHeight + laneGap);
    const bars = [
      ...between(down, report.durationMs).map((span) => bar('up', 'serves', span, x, y)),
      ...down.map((span) => bar('down', 'down', span, x, y)),
    ];
    return [`<text x="16" y="${y + 18}">${escaped(name)}</text>`, ...bars].join('\n');
  });
  return [
    `<text class="title" x="16" y="${top + 18}">${escaped(title)}</text>`,
    `<text class="${good ? 'good' : 'bad'}" x="16" y="${top + 39}">${escaped(text)}</text>`,
    ...lanes,
  ].join('\n');
}

function verdict(report: DrainReport): { readonly text: string; readonly good: boolean } {
  const outage = longestOutage(report);
  const took = `${seconds(report.durationMs)} until every pod serves again`;
  if (outage === undefined) return { text: `a group serves at every moment; ${took}`, good: true };
  return { text: `no group serves for ${seconds(outage.to - outage.from)}; ${took}`, good: false };
}

/** The rest of the time. */
function between(spans: readonly Span[], end: number): readonly Span[] {
  const starts = [0, ...spans.map(({ to }) => to)];
  const ends = [...spans.map(({ from }) => from), end];
  return starts.map((from, index) => ({ from, to: ends[index] ?? end })).filter(({ from, to }) => from < to);
}

/** Below this width, in pixels, a label does not fit. */
const labelWidth = 80;

function bar(kind: 'up' | 'down', word: string, { from, to }: Span, x: (ms: number) => number, y: number): string {
  const size = x(to) - x(from);
  const label = `<text class="on" x="${x(from) + 8}" y="${y + 17}">${word} ${seconds(to - from)}</text>`;
  const box = `<rect class="${kind}" x="${x(from)}" y="${y}" width="${size}" height="${laneHeight}" rx="3"/>`;
  return size < labelWidth ? box : box + label;
}

function axis(end: number, x: (ms: number) => number, y: number): string {
  const ticks = Array.from({ length: Math.floor(end / 10_000) + 1 }, (_, index) => index * 10_000);
  return ticks.map((ms) => `<text class="small" x="${x(ms)}" y="${y + 10}">${seconds(ms)}</text>`).join('\n');
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

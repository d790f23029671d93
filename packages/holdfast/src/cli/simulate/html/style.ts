/**
 * Colours are told apart in light and in dark, and by people who cannot tell red from green: the bad ones are darker, too. A chart that
 * would shrink below legible type on a phone scrolls instead.
 */
export const style = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #5b6470; --line: #d5dae1; --back: #ffffff; --lane: #f2f4f7; --alarm: #fdeceb;
  --drain: #3566a8; --away: #b9c6da; --down: #b3261e; --limit: #d9822b; --good: #1d7a46; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --dim: #9aa5b4; --line: #3a424d; --back: #14181d; --lane: #1e242b; --alarm: #3a1d1c;
  --drain: #78a6e8; --away: #46566d; --down: #ff7a70; --limit: #f0ad5e; --good: #5fcf8f; --bad: #ff7a70; } }
body { font: 14px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; border-top: 1px solid var(--line); padding-top: 1rem; } h3, summary { font-size: 1rem; font-weight: 600; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); } p.bad { font-weight: 600; } .dim { color: var(--dim); }
.alarm { color: var(--bad); background: var(--alarm); border-left: 4px solid var(--bad); padding: 0.5rem 0.75rem; font-weight: 600; margin: 0.5rem 0; }
.chart, .scroll { overflow-x: auto; } .chart svg { min-width: 62rem; } .record { overflow-wrap: anywhere; border-top: 1px solid var(--line); padding-top: 0.5rem; }
td { overflow-wrap: break-word; } .compare { width: auto; } .compare td + td, .compare th + th { padding-left: 1rem; } .compare .bad { font-weight: 600; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 0.15rem 0.75rem 0.15rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; } td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
details, ul { margin: 1rem 0; } svg { width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .dim { fill: var(--dim); } svg .head { font-weight: 600; } svg .lane { fill: var(--lane); } svg .grid { stroke: var(--line); }
svg .drain { fill: var(--drain); } svg .away { fill: var(--away); } svg .down { fill: var(--down); } svg .limit { fill: var(--limit); }
svg .tick { stroke: var(--text); } svg .refusal { fill: var(--bad); } svg .stuck { fill: url(#hatch); stroke: var(--bad); }
svg .hatch-back { fill: var(--back); } svg .hatch-line { stroke: var(--bad); stroke-width: 4; }
@media (max-width: 40rem) { body { margin: 1rem auto; } td:first-child { white-space: normal; } }
`;

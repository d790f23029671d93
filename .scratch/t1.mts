import { openStage } from '/work/wt/sim/src/cli/simulate/stage.ts';
import { untilIdle, VirtualClock } from '/work/wt/sim/src/cluster/time/virtual-clock.ts';
import { drive } from '/work/wt/sim/src/cli/simulate/drive.ts';
const t0 = performance.now();
for (let i = 0; i < 6; i++) {
  const t = performance.now();
  const clock = new VirtualClock(Date.UTC(2026,0,1), untilIdle);
  const r = await drive(clock, openStage({clock, seed: i, snapshot: [], vetoes: new Set(), pace: {heartbeats:false, lifecycleEvents:false, startDelayMs: () => 500, stopDelayMs: 500, jobRunMs: Infinity}, report: (p) => console.log(p)}));
  if (r.kind !== 'done') throw new Error('x');
  const stage = r.value;
  const a = performance.now();
  await drive(clock, stage.protect());
  const b = performance.now();
  await clock.advance(60_000);
  const c = performance.now();
  await drive(clock, stage.close());
  console.log(i, 'open', (a-t)|0, 'protect', (b-a)|0, 'minute', (c-b)|0, 'close', (performance.now()-c)|0, 'virtual', clock.now()-Date.UTC(2026,0,1));
}

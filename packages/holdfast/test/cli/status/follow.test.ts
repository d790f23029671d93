import { describe, expect, it } from 'vitest';
import { redraw } from '../../../src/cli/output/screen.ts';
import { follow } from '../../../src/cli/status/follow.ts';
import type { StatusReport } from '../../../src/cli/status/report.ts';
import { summaryOf } from '../../../src/cli/status/summary.ts';
import type { Clock } from '../../../src/kube/time/clock.ts';
import { Problem } from '../../../src/observe/problem.ts';

function reportAt(time: string): StatusReport {
  const views = { budgets: [], nodes: [], operator: [] };
  return { time, summary: summaryOf(views), namespaces: [], ...views, gaps: [], remarks: [] };
}

/** Each wait is over at once, and is noted. */
function hurry(waits: number[]): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    after(delayMs, callback) {
      waits.push(delayMs);
      now += delayMs;
      queueMicrotask(callback);
      return { cancel: () => {} };
    },
  };
}

/** Looks that come to this, and then Ctrl-C. */
async function watching(looks: readonly (string | Error)[], tookMs = 0): Promise<{ log: string[]; waits: number[] }> {
  const log: string[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const clock = hurry(waits);
  const left = [...looks];
  const look = async () => {
    const next = left.shift();
    if (left.length === 0) stop.abort();
    if (tookMs > 0) await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
    if (next instanceof Error) throw next;
    return reportAt(next ?? '');
  };
  await follow({ clock, signal: stop.signal }, 5_000, look, {
    show: (report, before) => void log.push(`${report.time} after ${before?.time ?? 'nothing'}`),
    failed: (problem) => void log.push(`failed: ${problem.message}`),
  });
  return { log, waits };
}

describe('a live view', () => {
  it('shows each look beside the one before', async () => {
    expect((await watching(['1', '2', '3'])).log).toEqual(['1 after nothing', '2 after 1', '3 after 2']);
  });

  it('survives an API server that is away for a while', async () => {
    const { log } = await watching(['1', new Problem('connection refused'), '2']);
    expect(log).toEqual(['1 after nothing', 'failed: connection refused', '2 after 1']);
  });

  it.each([
    ['the first look fails', [new Problem('no such context'), '1'], 'no such context'],
    ['we made a mistake', ['1', new TypeError('x is undefined'), '2'], 'x is undefined'],
  ] as const)('ends where %s', async (_, looks, message) => {
    await expect(watching(looks)).rejects.toThrow(message);
  });

  it('waits as long as a look took, where that is longer', async () => {
    expect((await watching(['1', '2', '3'], 60_000)).waits).toEqual([60_000, 60_000, 60_000, 60_000, 60_000]);
    expect((await watching(['1', '2', '3'])).waits).toEqual([5_000, 5_000]);
  });
});

describe('a screen', () => {
  function drawn(text: string, rows: number, first = false, columns = 20): string {
    let out = '';
    redraw({ rows, columns, write: (piece) => (out += piece) }, text, first);
    return out.replaceAll('\u001b[K', '').replaceAll('\u001b[H', '^').replaceAll('\u001b[J', '$');
  }

  it('is drawn over from its beginning, and what was below goes', () => {
    expect(drawn('a\nb\n', 10)).toBe('^a\nb\n$');
  });

  it('keeps what was on the terminal before, above', () => {
    expect(drawn('a\n', 4, true)).toBe('\n\n\n^a\n$');
  });

  it('never wraps: what is too long is cut, colours aside', () => {
    expect(drawn('123456\n', 5, false, 4)).toBe('^1234\n$');
    expect(drawn('1\u001b[31m234\u001b[0m56\n', 5, false, 3)).toBe('^1\u001b[31m23\u001b[0m\n$');
  });

  it('never scrolls: lines that do not fit are counted', () => {
    expect(drawn('1\n2\n3\n4\n5\n6\n', 5)).toBe('^1\n2\n3\n... 3 more lines\n$');
    expect(drawn('1\n2\n3\n4\n', 5)).toBe('^1\n2\n3\n4\n$');
  });
});

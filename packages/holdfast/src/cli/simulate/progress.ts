import { momentText } from './texts/times.ts';

export interface SimulationProgress {
  step(elapsedMs: number): void;
  end(): void;
}

/** People do not read faster. */
const everyMs = 200;

/** On a terminal, how far virtual time is. Real time decides only when it is shown. */
export function simulationProgressOn(
  terminal: { readonly isTTY?: boolean; write(text: string): unknown },
  title: string,
  now: () => number = () => performance.now(),
): SimulationProgress {
  let shownAt = now();
  let isShown = false;
  if (terminal.isTTY !== true) return { step: () => undefined, end: () => undefined };
  return {
    step(elapsedMs) {
      const at = now();
      if (at - shownAt < everyMs) return;
      shownAt = at;
      isShown = true;
      terminal.write(`\r${title}simulating, ${momentText(elapsedMs)} of virtual time\u001b[K`);
    },
    end() {
      if (isShown) terminal.write('\r\u001b[K');
    },
  };
}

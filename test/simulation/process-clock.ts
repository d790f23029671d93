import type { VirtualClock } from '../../packages/embedded-cluster/src/time/virtual-clock.ts';
import type { Clock, Timer } from '../../packages/holdfast/src/kube/time/clock.ts';

/** The clock of one simulated process: its time of day may be wrong, it can be stopped for a while (SIGSTOP), and it can be killed. */
export class ProcessClock implements Clock {
  readonly #base: VirtualClock;
  readonly #skewMs: number;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #due: (() => void)[] = [];

  constructor(base: VirtualClock, skewMs: number) {
    this.#base = base;
    this.#skewMs = skewMs;
  }

  now(): number {
    return this.#base.now() + this.#skewMs;
  }

  /** Runs on while the process is stopped, as the kernel's does. */
  monotonic(): number {
    return this.#base.now();
  }

  after(delayMs: number, callback: () => void): Timer {
    let cancelled = false;
    const fire = () => {
      if (cancelled || this.#state === 'dead') return;
      if (this.#state === 'paused') this.#due.push(fire);
      else callback();
    };
    const timer = this.#base.after(delayMs, fire);
    return {
      cancel() {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    const due = this.#due;
    this.#due = [];
    for (const fire of due) fire();
  }

  kill(): void {
    this.#state = 'dead';
    this.#due = [];
  }
}

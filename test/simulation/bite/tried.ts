/** What became of the schedules that ran with a mistake. */
export interface Tried {
  readonly schedules: number;
  /** Of the process, so with what it takes to start. A crowded machine takes more for the same work. */
  readonly cpuSeconds: number;
  /** Absent: no schedule failed. */
  readonly noticed?: { readonly seed: number; readonly clause: string };
}

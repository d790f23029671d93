/** Whether others should count on this process. */
export interface Readiness {
  /** What is missing; empty: ready. */
  missing(): readonly string[];
  /** From now on it is not ready, whatever else is. */
  stop(): void;
}

/** @param checks by name; each is called every time, and answers from memory */
export function createReadiness(checks: ReadonlyMap<string, () => boolean>): Readiness {
  let stopping = false;
  return {
    missing() {
      if (stopping) return ['shutting down'];
      return [...checks].filter(([, holds]) => !holds()).map(([name]) => name);
    },
    stop() {
      stopping = true;
    },
  };
}

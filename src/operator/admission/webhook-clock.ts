/** The time that the server measures and waits by. */
export interface WebhookClock {
  /** Milliseconds since some moment; nobody sets it. */
  monotonic(): number;
  after(delayMs: number, callback: () => void): { cancel(): void };
}

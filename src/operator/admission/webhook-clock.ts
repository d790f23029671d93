/** The time that the server measures and waits by. */
export interface WebhookClock {
  /** Milliseconds since some moment; no person or NTP sets it. */
  monotonic(): number;
  after(delayMs: number, callback: () => void): { cancel(): void };
}

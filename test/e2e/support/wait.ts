export interface WaitLimits {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/** Asks until the answer is the one that is waited for. A failure says what was waited for, and what was the case instead. */
export async function waitUntil<T>(
  what: string,
  read: () => Promise<T> | T,
  good: (value: T) => boolean,
  { withinMs = 30_000, everyMs = 50 }: WaitLimits = {},
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (performance.now() > end) {
      throw new Error(
        `waited ${withinMs} ms in vain until ${what}; at last it was ${JSON.stringify(value, withoutNoise)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function withoutNoise(key: string, value: unknown): unknown {
  return key === 'managedFields' ? undefined : value;
}

import type { Cpu } from './messages.ts';

export function cpuSpent(): Cpu {
  const { user, system } = process.cpuUsage();
  return { micros: user + system };
}

/** The other end of `Part`: answers each message of the parent, and ends with it. */
export function answerWith<Message>(handle: (message: Message) => Promise<unknown> | unknown): void {
  process.on('message', (message: Message) => {
    void Promise.resolve()
      .then(() => handle(message))
      .catch((error: unknown) => ({ failed: error instanceof Error ? (error.stack ?? '') : String(error) }))
      .then((answer) => process.send?.(answer ?? {}));
  });
  process.on('disconnect', () => process.exit(0));
}

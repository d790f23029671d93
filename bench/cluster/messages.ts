/** What the processes of this suite tell each other. Bytes travel as base64. */

export interface Access {
  readonly port: number;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export interface Memory {
  /** Before anything was collected. */
  readonly rssBefore: number;
  readonly rss: number;
  readonly heapUsed: number;
}

export type ToServer = { readonly do: 'memory' } | { readonly do: 'ready pods' } | CpuQuestion;

export interface CpuQuestion {
  readonly do: 'cpu';
}

/** Time that the process has spent on a processor: other than a rate, it says the same on a busy machine. */
export interface Cpu {
  readonly micros: number;
}

/** A server that does nothing but answer the bytes it was given: what the machine, TLS and Node cost alone. */
export interface ServeBytes {
  readonly do: 'serve';
  readonly pki: { readonly ca: string; readonly certificate: string; readonly key: string };
  readonly answers: Readonly<Record<string, string>>;
}

export type ToBareServer = ServeBytes | CpuQuestion;

export type ToLoad =
  | {
      readonly do: 'hammer';
      readonly access: Access;
      readonly paths: readonly string[];
      readonly connections: number;
      readonly seconds: number;
    }
  | {
      readonly do: 'watch';
      readonly access: Access;
      readonly path: string;
      readonly watchers: number;
      readonly eventsPerSecond: number;
      readonly seconds: number;
      /** Objects that are changed in turn. */
      readonly targets: readonly string[];
    }
  | {
      readonly do: 'send';
      readonly access: Access;
      readonly requests: readonly Request[];
      readonly connections: number;
    };

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface Hammered {
  readonly answers: number;
  readonly bytes: number;
  readonly failures: number;
  readonly seconds: number;
}

export interface Watched {
  readonly written: number;
  readonly seconds: number;
  /** Lines that the watchers that saw the fewest and the most of them got. */
  readonly fewest: number;
  readonly most: number;
  /** Whether the one watcher that reads its lines saw each change once and in order. */
  readonly inOrder: boolean;
  /** From the last change until the last watcher had it. */
  readonly lagMs: number;
}

import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Body, KubeHttp } from '../../test/support/kube-http.ts';
import type { Credentials } from './credentials.ts';
import type { Keeper } from './keeper.ts';

/** The API server as the administrator sees it, while it comes up and afterwards. */
export class Api {
  readonly #http: KubeHttp;
  readonly #keeper: Keeper;
  readonly #signal: AbortSignal | undefined;

  constructor(server: string, { ca, admin }: Credentials, keeper: Keeper, signal?: AbortSignal) {
    const { certificate, key } = admin;
    const buffers = { ca: Buffer.from(ca), certificate: Buffer.from(certificate), key: Buffer.from(key) };
    this.#http = new KubeHttp({ server, ...buffers });
    this.#keeper = keeper;
    this.#signal = signal;
  }

  /** A refused connection is an answer like another: code 0. */
  async ask(path: string): Promise<{ readonly code: number; readonly body: Body }> {
    try {
      return await this.#http.request('GET', path);
    } catch {
      return { code: 0, body: {} as Body };
    }
  }

  async create(path: string, body: object): Promise<void> {
    const answer: Answer = await this.#http.request('POST', path, { body });
    if (answer.code !== 201 && answer.code !== 409) throw new Error(`POST ${path}: ${answer.code} ${answer.text}`);
  }

  /** The code of the answer. */
  async tryCreate(path: string, body: object): Promise<number> {
    return (await this.#http.request('POST', path, { body })).code;
  }

  /** Asks until the answer is what is waited for. Fails at the deadline, and at once when a program ended or the caller stopped waiting. */
  async until(what: string, deadlineMs: number, asked: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + deadlineMs;
    while (!(await asked())) {
      this.#keeper.check();
      this.#signal?.throwIfAborted();
      if (Date.now() > end) throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
      await pause(100);
    }
    this.#keeper.check();
  }

  close(): void {
    this.#http.close();
  }
}

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an application answers to the probe of one of its pods; one that is silent answers when its mood changes. */
export type Mood = 'yes' | 'no' | 'silent';

/** Stands for the applications in all pods of a test: each is asked at a path of its own. */
export class Application {
  readonly asked: string[] = [];
  readonly #moods = new Map<string, Mood>();
  readonly #unanswered: { readonly name: string; readonly response: ServerResponse }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const name = (request.url ?? '/').slice(1);
      this.asked.push(name);
      this.#unanswered.push({ name, response });
      this.#answer(name);
    });
  }

  static start(host = '127.0.0.1'): Promise<Application> {
    const application = new Application();
    return new Promise((resolve) => {
      application.#server.listen(0, host, () => resolve(application));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  says(pod: string, mood: Mood): void {
    this.#moods.set(pod, mood);
    this.#answer(pod);
  }

  timesAsked(pod: string): number {
    return this.asked.filter((name) => name === pod).length;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #answer(pod: string): void {
    const mood = this.#moods.get(pod) ?? 'yes';
    if (mood === 'silent') return;
    const waiting = this.#unanswered.splice(0);
    for (const one of waiting) {
      if (one.name === pod) one.response.writeHead(mood === 'yes' ? 200 : 503).end(mood);
      else this.#unanswered.push(one);
    }
  }
}

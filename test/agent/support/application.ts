import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an application answers to the probe of one of its pods. */
export type Mood = 'yes' | 'no' | 'silent';

/** Stands for the applications in all pods of a test: each is asked at a path of its own. */
export class Application {
  readonly asked: string[] = [];
  readonly #moods = new Map<string, Mood>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const name = (request.url ?? '/').slice(1);
      this.asked.push(name);
      const mood = this.#moods.get(name) ?? 'yes';
      if (mood === 'silent') return;
      response.writeHead(mood === 'yes' ? 200 : 503).end(mood);
    });
  }

  static start(): Promise<Application> {
    const application = new Application();
    return new Promise((resolve) => {
      application.#server.listen(0, '127.0.0.1', () => resolve(application));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  says(pod: string, mood: Mood): void {
    this.#moods.set(pod, mood);
  }

  timesAsked(pod: string): number {
    return this.asked.filter((name) => name === pod).length;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

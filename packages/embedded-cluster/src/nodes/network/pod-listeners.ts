import type { Clock } from '../../time/clock.ts';
import type { Asked, ProbeMode } from '../annotations.ts';
import type { ProbedPort } from '../probes/pod-probes.ts';
import { type Listener, openListener } from './listener.ts';

export interface PodListenersOptions {
  readonly clock: Clock;
  /** Open ports at the same time, of all pods. */
  readonly limit: number;
  /** Pods share one address, so that each listener gets any free port. */
  readonly anyPort: boolean;
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
  /** What a port of a pod answers now. */
  mode(key: string, asked: Asked): ProbeMode;
}

export interface PortProblem {
  readonly port: number;
  readonly why: string;
}

type Held =
  | { readonly kind: 'open'; readonly protocol: string; readonly listener: Listener }
  /** There were too many already; probes get their answers without it. */
  | { readonly kind: 'beyond limit'; readonly protocol: string }
  | { readonly kind: 'failed'; readonly protocol: string };

/** Where a probe of a pod's port goes. */
export type ProbeEndpoint = { readonly kind: 'socket'; readonly port: number } | { readonly kind: 'simulated' };

/** The ports that pods listen on, for probes of ours and of others. */
export class PodListeners {
  readonly #options: PodListenersOptions;
  readonly #pods = new Map<string, Map<number, Held>>();
  #open = 0;
  #stopped = false;

  constructor(options: PodListenersOptions) {
    this.#options = options;
  }

  /** Opens and closes until just these ports are open; says which could not be, once for each. */
  async sync(key: string, address: string, ports: readonly ProbedPort[]): Promise<readonly PortProblem[]> {
    if (ports.length === 0) {
      this.close(key);
      return [];
    }
    const held = this.#pods.get(key) ?? new Map<number, Held>();
    this.#pods.set(key, held);
    const wanted = new Map(ports.map(({ port, protocol }) => [port, protocol]));
    for (const [port, { protocol }] of held) if (wanted.get(port) !== protocol) this.#closePort(held, port);
    const missing = ports.filter(({ port }) => !held.has(port));
    const problems = await Promise.all(missing.map((port) => this.#openPort(key, held, address, port)));
    return problems.flat();
  }

  endpoint(key: string, port: number): ProbeEndpoint {
    const held = this.#pods.get(key)?.get(port);
    if (held?.kind === 'beyond limit') return { kind: 'simulated' };
    return { kind: 'socket', port: held?.kind === 'open' ? held.listener.port : port };
  }

  /** Which port of the machine stands for which of the pod. */
  mapping(key: string): Readonly<Record<string, number>> {
    const entries = [...(this.#pods.get(key) ?? [])].flatMap(([port, held]) =>
      held.kind === 'open' ? [[String(port), held.listener.port] as const] : [],
    );
    return Object.fromEntries(entries);
  }

  close(key: string): void {
    const held = this.#pods.get(key);
    if (!held) return;
    this.#pods.delete(key);
    for (const port of [...held.keys()]) this.#closePort(held, port);
  }

  stop(): void {
    this.#stopped = true;
    for (const key of [...this.#pods.keys()]) this.close(key);
  }

  #closePort(held: Map<number, Held>, port: number): void {
    const entry = held.get(port);
    held.delete(port);
    if (entry?.kind !== 'open') return;
    this.#open -= 1;
    entry.listener.close();
  }

  async #openPort(
    key: string,
    held: Map<number, Held>,
    host: string,
    { port, protocol }: ProbedPort,
  ): Promise<readonly PortProblem[]> {
    if (this.#open >= this.#options.limit) {
      held.set(port, { kind: 'beyond limit', protocol });
      return [];
    }
    this.#open += 1;
    try {
      const { clock, anyPort, certificate } = this.#options;
      const mode = (asked: Asked) => this.#options.mode(key, asked);
      const bindPort = anyPort ? 0 : port;
      const listener = await openListener({ protocol, host, bindPort, port, clock, certificate, mode });
      held.set(port, { kind: 'open', protocol, listener });
      // Meanwhile the pod may have gone, or the simulator stopped.
      if (this.#stopped || this.#pods.get(key) !== held) this.#closePort(held, port);
      return [];
    } catch (error) {
      this.#open -= 1;
      held.set(port, { kind: 'failed', protocol });
      return [{ port, why: error instanceof Error ? error.message : String(error) }];
    }
  }
}

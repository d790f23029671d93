import type { Clock } from '../../time/clock.ts';
import type { Asked, ProbeMode } from '../annotations.ts';
import type { ProbedPort } from '../probes/pod-probes.ts';
import { type AddressBlock, reserveBlock } from './address-block.ts';
import { type AddressMode, createPodAddresses, detectAddresses, type PodAddresses } from './addresses.ts';
import { PodListeners, type PortProblem, type ProbeEndpoint } from './pod-listeners.ts';

export interface PodNetworkOptions {
  readonly clock: Clock;
  readonly sockets: boolean;
  readonly listenerLimit: number;
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
  /** Looked up once; an argument so that a machine with only one address can be tried out anywhere. */
  detect?(): Promise<AddressMode>;
  mode(key: string, asked: Asked): ProbeMode;
}

interface Parts {
  readonly addresses: PodAddresses;
  /** Undefined: there are no sockets here. */
  readonly listeners: PodListeners | undefined;
  readonly isShared: boolean;
  readonly block: AddressBlock | undefined;
}

/** The addresses of pods, and what listens there. */
export class PodNetwork {
  readonly #parts: Promise<Parts>;
  #known: Parts | undefined;
  #stopped = false;

  constructor(options: PodNetworkOptions) {
    this.#parts = this.#prepare(options);
  }

  async #prepare(options: PodNetworkOptions): Promise<Parts> {
    const { clock, sockets, listenerLimit: limit, certificate, mode } = options;
    const addressMode = sockets ? await (options.detect ?? detectAddresses)() : 'many';
    const isShared = addressMode === 'one';
    const listeners = sockets ? new PodListeners({ clock, limit, anyPort: isShared, certificate, mode }) : undefined;
    const block = sockets && !isShared ? await reserveBlock() : undefined;
    const parts = { addresses: createPodAddresses(addressMode, block?.number), listeners, isShared, block };
    this.#known = parts;
    if (this.#stopped) this.stop();
    return parts;
  }

  async claim(uid: string, before: string | undefined): Promise<string> {
    return (await this.#parts).addresses.claim(uid, before);
  }

  /** Where a pod listens that uses its node's network. */
  async shared(hostIp: string): Promise<string> {
    const { addresses, isShared } = await this.#parts;
    return isShared ? addresses.claim('', undefined) : hostIp;
  }

  async sync(key: string, address: string, ports: readonly ProbedPort[]): Promise<readonly PortProblem[]> {
    const { listeners } = await this.#parts;
    return listeners && !this.#stopped ? listeners.sync(key, address, ports) : [];
  }

  endpoint(key: string, port: number): ProbeEndpoint {
    return this.#known?.listeners?.endpoint(key, port) ?? { kind: 'simulated' };
  }

  /** Only where pods share one address: which port of it stands for which of the pod. */
  mapping(key: string): Readonly<Record<string, number>> | undefined {
    return this.#known?.isShared ? this.#known.listeners?.mapping(key) : undefined;
  }

  close(key: string): void {
    this.#known?.listeners?.close(key);
  }

  release(key: string, uid: string): void {
    this.close(key);
    this.#known?.addresses.release(uid);
  }

  stop(): void {
    this.#stopped = true;
    this.#known?.listeners?.stop();
    this.#known?.block?.release();
  }
}

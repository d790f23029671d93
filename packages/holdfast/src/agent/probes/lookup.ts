import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Slots } from '../worker/slots.ts';
import type { ProbeAttempt } from './attempt.ts';

/** As `dns.lookup` calls back. */
type Answer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Asks the system for the addresses of a name. */
export type Resolve = (host: string, options: LookupOptions, callback: Answer) => void;

/**
 * The system looks names up in a few threads that reading files shares, and nothing ends that early. A probe may name any host: with
 * half of the threads for all of them, slow name servers hold up such probes alone, and neither tokens nor leases.
 */
const atOnce = 2;

/** Looks names up for probes, a few at a time; those that are over do not wait for their turn. */
export class Lookups {
  readonly #slots = new Slots(atOnce);
  readonly #resolve: Resolve;

  constructor(resolve: Resolve = systemLookup) {
    this.#resolve = resolve;
  }

  of(to: ProbeAttempt): LookupFunction {
    return (host, options, callback) => {
      void this.#slots.run(to.over(), () => {
        return new Promise<void>((done) => {
          this.#resolve(host, options, (...answer) => {
            done();
            callback(...answer);
          });
        });
      });
    };
  }
}

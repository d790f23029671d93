import { connect } from 'node:net';
import { type AttemptTerms, attempt } from './attempt.ts';
import type { Lookups } from './lookup.ts';
import { type ProbeResult, probeFailed, probeSucceeded } from './probe-result.ts';

/** To be connected to is all that it asks for. */
export function probeTcp(terms: AttemptTerms, lookups: Lookups, host: string, port: number): Promise<ProbeResult> {
  return attempt(terms, (to) => {
    const socket = connect({ host, port, lookup: lookups.of(to) });
    to.onEnd(() => socket.destroy());
    socket.on('connect', () => to.settle(probeSucceeded('connected')));
    socket.on('error', (error) => to.settle(probeFailed(error.message)));
  });
}

import { connect } from 'node:net';
import { type AttemptTerms, attempt } from './attempt.ts';
import { failed, type ProbeResult, succeeded } from './result.ts';

/** To be connected to is all that it asks for. */
export function probeTcp(terms: AttemptTerms, host: string, port: number): Promise<ProbeResult> {
  return attempt(terms, (to) => {
    const socket = connect({ host, port });
    to.onEnd(() => socket.destroy());
    socket.on('connect', () => to.settle(succeeded('connected')));
    socket.on('error', (error) => to.settle(failed(error.message)));
  });
}

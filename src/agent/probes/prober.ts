import type { ProbeHandler } from '../../api/probe-handler.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Target } from '../../kube/transport/target.ts';
import { probeExec } from './exec.ts';
import { probeGrpc } from './grpc.ts';
import { probeHttp } from './http.ts';
import { Lookups } from './lookup.ts';
import { failed, type ProbeResult, unknown } from './result.ts';
import { probeTcp } from './tcp.ts';

/** Whom to ask what. */
export interface ProbeQuestion {
  readonly handler: ProbeHandler;
  readonly timeoutSeconds: number;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly address: string;
  /** The container's, by name. */
  readonly ports: ReadonlyMap<string, number>;
}

export type Prober = (question: ProbeQuestion, signal: AbortSignal) => Promise<ProbeResult>;

export interface ProberOptions {
  readonly clock: Clock;
  readonly api: Target;
  readonly allowExec: boolean;
}

export function createProber({ clock, api, allowExec }: ProberOptions): Prober {
  const lookups = new Lookups();
  return (question, signal) => {
    const { handler, address, ports, namespace, pod, container } = question;
    const terms = { clock, timeoutMs: question.timeoutSeconds * 1000, signal };
    if (handler.kind === 'exec') {
      if (!allowExec) return Promise.resolve(unknown('this agent may not run commands'));
      return probeExec(terms, api, { namespace, pod, container, command: handler.command });
    }
    const port = typeof handler.port === 'number' ? handler.port : ports.get(handler.port);
    if (port === undefined) return Promise.resolve(failed(`the container has no port ${handler.port}`));
    if (handler.kind === 'grpc') return probeGrpc(terms, { host: address, port, service: handler.service });
    // Kubernetes takes an empty host for an absent one.
    const host = handler.host === undefined || handler.host === '' ? address : handler.host;
    return handler.kind === 'httpGet'
      ? probeHttp(terms, { handler, host, port, lookups })
      : probeTcp(terms, lookups, host, port);
  };
}

import type { ProbeHandler } from '@holdfast/base/probes/probe-handler';
import { isOwnHost } from '../../api/probe-hosts.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { ServerTarget } from '../../kube/transport/target.ts';
import { mayExec, type ProbePermits } from '../permits.ts';
import { probeExec } from './exec.ts';
import { probeGrpc } from './grpc.ts';
import { probeHttp } from './http.ts';
import { Lookups } from './lookup.ts';
import { type ProbeResult, probeFailed, unknown } from './probe-result.ts';
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
  readonly api: ServerTarget;
  readonly permits: ProbePermits;
}

export function createProber({ clock, api, permits }: ProberOptions): Prober {
  const lookups = new Lookups();
  return (question, signal) => {
    const { handler, address, ports, namespace, pod, container } = question;
    const terms = { clock, timeoutMs: question.timeoutSeconds * 1000, signal };
    if (handler.kind === 'exec') {
      if (!mayExec(permits, namespace)) return Promise.resolve(unknown('this agent may not run commands'));
      return probeExec(terms, api, { namespace, pod, container, command: handler.command });
    }
    const port = typeof handler.port === 'number' ? handler.port : ports.get(handler.port);
    if (port === undefined) return Promise.resolve(probeFailed(`the container has no port ${handler.port}`));
    if (handler.kind === 'grpc') return probeGrpc(terms, { host: address, port, service: handler.service });
    // Kubernetes takes an empty host for an absent one.
    const host = handler.host === undefined || handler.host === '' ? address : handler.host;
    // Asked for once more where it would happen: nothing of what a pod writes leads anywhere else.
    if (!isOwnHost(host, [address], permits.hosts)) return Promise.resolve(unknown(`this agent may not call ${host}`));
    return handler.kind === 'httpGet'
      ? probeHttp(terms, { handler, host, port, lookups })
      : probeTcp(terms, lookups, host, port);
  };
}

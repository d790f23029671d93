import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, probeModeOf, sim, slowAnswerMs } from '../annotations.ts';
import { type KubeletProbe, portNumber } from './pod-probes.ts';

export type ProbeOutcome = { readonly ok: true } | { readonly ok: false; readonly output: string };

const passed: ProbeOutcome = { ok: true };

/** What a probe would find, without running it: what the annotations say. */
export function simulatedOutcome(pod: PodObject, { container, probe }: KubeletProbe): ProbeOutcome {
  const { handler, timeoutSeconds } = probe;
  if (handler.kind === 'exec') {
    return annotationOf(pod, sim.execProbe) === 'fail' ? { ok: false, output: 'probe failed' } : passed;
  }
  const port = portNumber(pod, container, handler.port);
  if (port === undefined) return { ok: false, output: `couldn't find port: ${JSON.stringify(handler.port)}` };
  const path = handler.kind === 'httpGet' ? { path: handler.path } : {};
  const mode = probeModeOf(pod, { port, ...path });
  if (mode === 'ok' || (mode === 'slow' && handler.kind !== 'tcpSocket' && timeoutSeconds * 1000 > slowAnswerMs))
    return passed;
  if (mode === 'slow') return { ok: false, output: 'context deadline exceeded' };
  if (handler.kind === 'httpGet') return { ok: false, output: 'HTTP probe failed with statuscode: 500' };
  if (handler.kind === 'grpc') return { ok: false, output: 'service unhealthy (responded with "NOT_SERVING")' };
  return { ok: false, output: `dial tcp :${port}: connect: connection refused` };
}

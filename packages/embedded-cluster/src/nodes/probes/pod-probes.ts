/** What the probes of a pod ask, and on which ports something must listen for them. */

import { isObject } from '@holdfast/base/json';
import { parseProbes } from '@holdfast/base/probes/probe';
import { type Probe, parseProbe } from '@holdfast/base/probes/probe-fields';
import type { ProbeHandler } from '@holdfast/base/probes/probe-handler';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

export interface KubeletProbe {
  readonly container: string;
  readonly kind: ProbeKind;
  readonly probe: Probe;
}

export type Protocol = 'http' | 'https' | 'grpc' | 'tcp';

export interface ProbedPort {
  readonly container: string;
  readonly port: number;
  readonly protocol: Protocol;
}

const fields = [
  ['startup', 'startupProbe'],
  ['liveness', 'livenessProbe'],
  ['readiness', 'readinessProbe'],
] as const;

function longRunning(spec: PodSpec): readonly Container[] {
  return [...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'), ...spec.containers];
}

/** The probes that the kubelet runs. One that cannot be read is none: validation has let it pass all the same. */
export function kubeletProbes(pod: PodObject): readonly KubeletProbe[] {
  return longRunning(pod.spec).flatMap((container) =>
    fields.flatMap(([kind, field]) => {
      const source: unknown = container[field];
      if (!isObject(source)) return [];
      const { terminationGracePeriodSeconds: _, ...known } = source;
      const parsed = parseProbe(known, field);
      return parsed.ok ? [{ container: container.name, kind, probe: parsed.value }] : [];
    }),
  );
}

interface Handler {
  readonly container: string;
  readonly handler: ProbeHandler;
}

/** Of all probes, those of the disruption agent included. */
function handlers(pod: PodObject): readonly Handler[] {
  const disruption = parseProbes(pod);
  const first = pod.spec.containers[0]?.name ?? '';
  return [
    ...kubeletProbes(pod).map(({ container, probe }) => ({ container, handler: probe.handler })),
    ...(disruption.ok ? disruption.value : []).map(({ container = first, handler }) => ({ container, handler })),
  ];
}

export function execCommands(pod: PodObject, container: string): readonly (readonly string[])[] {
  return handlers(pod).flatMap((entry) =>
    entry.container === container && entry.handler.kind === 'exec' ? [entry.handler.command] : [],
  );
}

/** The number of a port that may be given by the name which its container gave it. */
export function portNumber(pod: PodObject, container: string, port: number | string): number | undefined {
  if (typeof port === 'number') return port;
  const owner = longRunning(pod.spec).find(({ name }) => name === container);
  return owner?.ports?.find(({ name }) => name === port)?.containerPort;
}

/** A port that is only connected to may as well speak something. */
const precedence: readonly Protocol[] = ['https', 'http', 'grpc', 'tcp'];

/** One entry for each port, of the container whose probe named it first. */
export function probedPorts(pod: PodObject): readonly ProbedPort[] {
  const ports = new Map<number, ProbedPort>();
  for (const { container, handler } of handlers(pod)) {
    if (handler.kind === 'exec' || ('host' in handler && handler.host)) continue;
    const port = portNumber(pod, container, handler.port);
    if (port === undefined) continue;
    const found = ports.get(port);
    const protocol = protocolOf(handler);
    if (found && precedence.indexOf(found.protocol) <= precedence.indexOf(protocol)) continue;
    ports.set(port, { container: found?.container ?? container, port, protocol });
  }
  return [...ports.values()];
}

function protocolOf(handler: Exclude<ProbeHandler, { kind: 'exec' }>): Protocol {
  if (handler.kind === 'httpGet') return handler.scheme === 'HTTPS' ? 'https' : 'http';
  return handler.kind === 'grpc' ? 'grpc' : 'tcp';
}

/** How a person steers simulated pods and nodes: every name of it, and how its value is read. */

import type { KubeObject } from '../objects.ts';

export const sim = {
  /** On a node, as a label: this simulator runs it. */
  node: 'sim.holdfast.dev/node',
  /** On a node: it is cut off from everything. */
  down: 'sim.holdfast.dev/down',
  startDelay: 'sim.holdfast.dev/start-delay',
  stopDelay: 'sim.holdfast.dev/stop-delay',
  runSeconds: 'sim.holdfast.dev/run-seconds',
  broken: 'sim.holdfast.dev/broken',
  crash: 'sim.holdfast.dev/crash',
  exit: 'sim.holdfast.dev/exit',
  ready: 'sim.holdfast.dev/ready',
  probe: 'sim.holdfast.dev/probe',
  execProbe: 'sim.holdfast.dev/exec-probe',
  exec: 'sim.holdfast.dev/exec',
  log: 'sim.holdfast.dev/log',
  /** What becomes of an in-place resize: `deferred`, `infeasible`, or how long it is in progress. */
  resize: 'sim.holdfast.dev/resize',
  /** Written by the simulator where pods share one address: which port of the machine stands for which of the pod. */
  ports: 'sim.holdfast.dev/ports',
} as const;

export type SimName = (typeof sim)[keyof typeof sim];

/** Longest time that an annotation may ask for. */
const longestMs = 24 * 60 * 60 * 1000;

export function annotationOf(object: KubeObject, name: SimName): string | undefined {
  const annotations = object.metadata.annotations;
  if (annotations === undefined || !Object.hasOwn(annotations, name)) return undefined;
  return annotations[name];
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `500ms`, `5s`, `1m30s`, or a bare number of seconds; undefined where it is none of these. */
export function parseDuration(text: string): number | undefined {
  const bare = /^[0-9]+(\.[0-9]+)?$/.test(text);
  if (bare) return Math.min(Number(text) * 1000, longestMs);
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return Math.min(total, longestMs);
}

/** What an annotation says, or else the default, also where it says nothing that can be read. */
export function durationOf(object: KubeObject, name: SimName, fallbackMs: number): number {
  const text = annotationOf(object, name);
  return text === undefined ? fallbackMs : (parseDuration(text.trim()) ?? fallbackMs);
}

export function isDown(node: KubeObject): boolean {
  return annotationOf(node, sim.down) === 'true';
}

export function isSimulated(node: KubeObject): boolean {
  const labels = node.metadata.labels;
  return labels !== undefined && Object.hasOwn(labels, sim.node) && labels[sim.node] === 'true';
}

/** What listeners of a pod answer. */
export type ProbeMode = 'ok' | 'fail' | 'slow';

/** How long a slow answer takes. */
export const slowAnswerMs = 30_000;

/** What is asked: a port, and, over HTTP, a path. */
export interface Asked {
  readonly port: number;
  readonly path?: string;
}

/**
 * `ok`, `fail` or `slow` for everything, or a list such as `/disruptable=fail,8080=slow,ok` by path, by port and for the
 * rest. A path counts before a port.
 */
export function probeModeOf(pod: KubeObject, asked: Asked): ProbeMode {
  const text = annotationOf(pod, sim.probe);
  if (text === undefined) return 'ok';
  const found = new Map<string, ProbeMode>();
  for (const entry of text.split(',')) {
    const [, key = '', mode = ''] = /^\s*(?:([^=]*)=)?\s*(ok|fail|slow)\s*$/.exec(entry) ?? [];
    if (mode !== '') found.set(key.trim(), mode as ProbeMode);
  }
  const path = asked.path?.split('?', 1)[0];
  return (path ? found.get(path) : undefined) ?? found.get(String(asked.port)) ?? found.get('') ?? 'ok';
}

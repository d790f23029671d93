import { isObject } from '@holdfast/base/json';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, sim } from '../annotations.ts';
import { execCommands } from '../probes/pod-probes.ts';

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const quiet: ExecResult = { stdout: '', stderr: '', exitCode: 0 };

/** What a command in a container prints and returns. Nothing is ever run. */
export function execIn(pod: PodObject, container: string, command: readonly string[]): ExecResult {
  if (annotationOf(pod, sim.execProbe) === 'fail' && isProbeCommand(pod, container, command)) {
    return { stdout: '', stderr: 'probe failed\n', exitCode: 1 };
  }
  const text = annotationOf(pod, sim.exec);
  return text === undefined ? wellKnown(pod, command) : readResult(text);
}

function isProbeCommand(pod: PodObject, container: string, command: readonly string[]): boolean {
  const asked = JSON.stringify(command);
  return execCommands(pod, container).some((probed) => JSON.stringify(probed) === asked);
}

/** A few commands that people type to see whether exec works at all. */
function wellKnown(pod: PodObject, [program = '', ...words]: readonly string[]): ExecResult {
  switch (program.split('/').at(-1)) {
    case 'echo':
      return { ...quiet, stdout: `${words.join(' ')}\n` };
    case 'hostname':
      return { ...quiet, stdout: `${pod.spec.hostname ?? pod.metadata.name}\n` };
    case 'false':
      return { ...quiet, exitCode: 1 };
    default:
      return quiet;
  }
}

/** The annotation is JSON with `stdout`, `stderr` and `exitCode`, or else the output itself. */
function readResult(text: string): ExecResult {
  const fields = readObject(text);
  if (fields === undefined) return { ...quiet, stdout: text.endsWith('\n') ? text : `${text}\n` };
  const { stdout, stderr, exitCode } = fields;
  return {
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
    exitCode: typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode & 0xff : 0,
  };
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Plain text is what most people write.
    return undefined;
  }
}

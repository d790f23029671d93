/** What one probe found. Nothing that a probed application does is an exception. */
export interface ProbeResult {
  /** `unknown`: the application was not asked, or its answer did not reach us. It counts as a failure. */
  readonly result: 'success' | 'failure' | 'unknown';
  /** For people, and bounded. */
  readonly output: string;
  /** It counts as a success, but the author of the probe should look at it. */
  readonly warning?: true;
}

/** It ends up in a condition of the pod, beside a few words of ours. */
const maxOutput = 800;

/** Printable, on few lines, and short: it comes from applications, and goes into objects, logs and events. */
function boundedOutput(text: string): string {
  // A slice first: what is cut off anyway need not be read.
  const plain = text
    .slice(0, 4 * maxOutput)
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return plain.length > maxOutput ? `${plain.slice(0, maxOutput)}...` : plain;
}

export function probeSucceeded(output: string): ProbeResult {
  return { result: 'success', output: boundedOutput(output) };
}

export function probeFailed(output: string): ProbeResult {
  return { result: 'failure', output: boundedOutput(output) };
}

export function unknown(output: string): ProbeResult {
  return { result: 'unknown', output: boundedOutput(output) };
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

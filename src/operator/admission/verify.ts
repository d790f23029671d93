import type { PodVersion } from '../../core/verdict.ts';
import type { LedgerLimits } from './limits.ts';
import { unlessAborted } from './patience.ts';
import type { PodReader, PodReading } from './ports.ts';

export type BasisReading =
  | { readonly kind: 'holds' }
  /** A pod is not what the verdict took it for; a view as new as `resourceVersion` knows. */
  | { readonly kind: 'moved'; readonly pod: string; readonly from: string; readonly resourceVersion: string }
  | { readonly kind: 'unknown'; readonly pod: string; readonly message: string };

type ReadLimits = Pick<LedgerLimits, 'maxReads' | 'readsAtOnce'>;

/**
 * Reads the pods that a verdict rests on. To be called after the reservation is written: versions only grow, so a pod that is
 * unchanged now was unchanged at the moment of the write, and from then on everybody counts the target as gone.
 */
export async function readBasis(
  reader: PodReader,
  namespace: string,
  versions: readonly PodVersion[],
  limits: ReadLimits,
  signal: AbortSignal,
): Promise<BasisReading> {
  if (versions.length > limits.maxReads) {
    const message = `the verdict rests on ${versions.length} pods, and no more than ${limits.maxReads} are read`;
    return { kind: 'unknown', pod: versions[0]?.pod ?? '', message };
  }
  for (let start = 0; start < versions.length; start += limits.readsAtOnce) {
    const some = versions.slice(start, start + limits.readsAtOnce);
    const readings = await Promise.all(some.map((one) => readOne(reader, namespace, one, signal)));
    const other = readings.find((one) => one.kind !== 'holds');
    if (other !== undefined) return other;
  }
  return { kind: 'holds' };
}

async function readOne(
  reader: PodReader,
  namespace: string,
  expected: PodVersion,
  signal: AbortSignal,
): Promise<BasisReading> {
  const late = (): PodReading => ({ kind: 'failed', message: 'the time for it ran out' });
  const asked = reader.read(namespace, expected.pod, signal).catch((error: unknown): PodReading => {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  });
  return compare(expected, await unlessAborted(signal, asked, late));
}

/** A pod that is gone serves nothing, as was believed of it. Another one of the same name may serve. */
function compare({ pod, uid, resourceVersion }: PodVersion, reading: PodReading): BasisReading {
  if (reading.kind === 'failed') return { kind: 'unknown', pod, message: reading.message };
  if (reading.kind === 'missing') return { kind: 'holds' };
  if (reading.uid === uid && reading.resourceVersion === resourceVersion) return { kind: 'holds' };
  return { kind: 'moved', pod, from: resourceVersion, resourceVersion: reading.resourceVersion };
}

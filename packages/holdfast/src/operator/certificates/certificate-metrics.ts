import type { Metrics } from '../../telemetry/metrics.ts';

/** What a leader writes: a step or path segments to the Secret, or whom to trust and the path to a webhook configuration. */
export type CertificateWrite = 'addAuthority' | 'issueLeaf' | 'dropAuthorities' | 'paths' | 'bundle';
export type WriteResult = 'done' | 'conflict' | 'failed';

export interface CertificateMetrics {
  wrote(what: CertificateWrite, result: WriteResult): void;
  /** @param notAfterMs the end of the certificate that is served now */
  serves(notAfterMs: number): void;
}

export function createCertificateMetrics(metrics: Metrics): CertificateMetrics {
  const writes = metrics.counter({
    name: 'certificate_writes_total',
    help: 'Writes of certificates, and of the authorities in webhook configurations, by result.',
    labels: ['what', 'result'],
  });
  const end = metrics.gauge({
    name: 'certificate_end_timestamp_seconds',
    help: 'Time at which the certificate of the webhooks expires, in seconds since 1970.',
    labels: [],
  });
  return {
    wrote: (what, result) => writes.add({ what, result }),
    serves: (notAfterMs) => end.set({}, notAfterMs / 1000),
  };
}

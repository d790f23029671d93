import { join } from 'node:path';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { KeyPair, ServerNames } from '../../trust/material.ts';
import { readSecret, secretKeys } from '../../trust/read-certificates.ts';
import { lookEveryMs, readTextFile } from '../../trust/read-text.ts';
import type { LeafFacts } from '../../trust/rotation-plan.ts';
import type { AcceptedPaths } from './caller-paths.ts';
import { type CertificateMetrics, createCertificateMetrics } from './certificate-metrics.ts';
import { type Certificates, ServedPair } from './certificates.ts';
import type { PathUpkeep } from './start.ts';

export interface FileOptions {
  /** Holds `tls.crt` and `tls.key`, as a mounted Secret does. */
  readonly directory: string;
  /** The host names that API servers call. A certificate that lacks one of them is logged, and served all the same. */
  readonly names: ServerNames;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The operator keeps the path segments itself, also where another program makes the certificates. */
  readonly upkeep: PathUpkeep;
}

export type OpenedFiles =
  | {
      readonly kind: 'open';
      readonly certificates: Certificates;
      /** PEM of `ca.crt`, where it lies beside the others: the authorities that the program which made the files names. */
      readonly authorities: string | undefined;
    }
  | { readonly kind: 'unusable'; readonly problem: string };

/** A change between the two reads gives a certificate and a key that do not fit: then both are read again, so many times. */
const attempts = 3;
const retryMs = 200;

/** Certificates that another program makes. It also decides whom API servers trust; the leader keeps only the path segments. */
export async function openCertificateFiles(options: FileOptions): Promise<OpenedFiles> {
  const stopping = new AbortController();
  const first = await readPair(options, stopping.signal);
  if (!first.ok) return { kind: 'unusable', problem: first.problem };
  const authorities = await readTextFile(join(options.directory, secretKeys.authorities));
  if (!authorities.ok && !authorities.missing) return { kind: 'unusable', problem: authorities.problem };
  return {
    kind: 'open',
    certificates: new CertificateFiles(options, stopping, first),
    authorities: authorities.ok ? authorities.text : undefined,
  };
}

class CertificateFiles implements Certificates {
  readonly paths: AcceptedPaths;
  readonly first: Promise<KeyPair | undefined>;
  readonly #options: FileOptions;
  readonly #log: Logger;
  readonly #metrics: CertificateMetrics;
  readonly #stopping: AbortController;
  readonly #pair: ServedPair;
  readonly #running: Promise<void>;
  #leaf: LeafFacts;
  #problem = '';

  constructor(options: FileOptions, stopping: AbortController, read: UsablePair) {
    this.#options = options;
    this.paths = options.upkeep.paths;
    this.#log = options.log.with({ part: 'certificates', directory: options.directory });
    this.#metrics = createCertificateMetrics(options.metrics);
    this.#stopping = stopping;
    this.#pair = new ServedPair(this.#log);
    this.first = this.#pair.first;
    this.#leaf = read.leaf;
    this.#serve(read);
    this.#running = this.#follow();
  }

  current(): KeyPair | undefined {
    return this.#pair.current;
  }

  onChange(changed: (pair: KeyPair) => void): () => void {
    return this.#pair.onChange(changed);
  }

  ready(): boolean {
    return this.#options.clock.now() < this.#leaf.notAfterMs;
  }

  lead(signal: AbortSignal): Promise<void> {
    return this.#options.upkeep.lead(signal);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#pair.close();
    await Promise.all([this.#running, this.#options.upkeep.close()]);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (await sleep(this.#options.clock, lookEveryMs, signal)) {
      const read = await readPair(this.#options, signal);
      if (signal.aborted) return;
      if (!read.ok) this.#tell(read.problem);
      else if (isOther(read.pair, this.#pair.current)) this.#serve(read);
      if (read.ok) this.#problem = '';
    }
  }

  /** Logs a problem once, not with every read of the files. */
  #tell(problem: string): void {
    if (problem !== this.#problem) this.#log.warn('the certificate files cannot be used', { problem });
    this.#problem = problem;
  }

  #serve({ leaf, pair }: UsablePair): void {
    this.#leaf = leaf;
    this.#metrics.serves(leaf.notAfterMs);
    this.#log.info('serving a certificate', { id: leaf.id, ends: new Date(leaf.notAfterMs).toISOString() });
    if (!leaf.covers) this.#log.warn('the certificate lacks names of the webhooks', { ...this.#options.names });
    this.#pair.set(pair);
  }
}

interface UsablePair {
  readonly leaf: LeafFacts;
  readonly pair: KeyPair;
}

type ReadPair = ({ readonly ok: true } & UsablePair) | { readonly ok: false; readonly problem: string };

function isOther(pair: KeyPair, current: KeyPair | undefined): boolean {
  return pair.certificate !== current?.certificate || pair.key !== current.key;
}

async function readPair(options: FileOptions, signal: AbortSignal): Promise<ReadPair> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await readOnce(options);
    if (read.ok || attempt === attempts || !(await sleep(options.clock, retryMs, signal))) return read;
  }
}

async function readOnce({ directory, names }: FileOptions): Promise<ReadPair> {
  const certificate = await readTextFile(join(directory, secretKeys.leaf));
  if (!certificate.ok) return certificate;
  const key = await readTextFile(join(directory, secretKeys.leafKey));
  if (!key.ok) return key;
  const texts = new Map([
    [secretKeys.leaf, certificate.text],
    [secretKeys.leafKey, key.text],
  ]);
  const { stored, problems } = readSecret(texts, names);
  if (stored.leaf === undefined) return { ok: false, problem: `${directory}: ${problems.join('; ')}` };
  // The whole text: what follows the leaf are the authorities between it and the one that is trusted.
  return { ok: true, leaf: stored.leaf, pair: { certificate: certificate.text, key: key.text } };
}

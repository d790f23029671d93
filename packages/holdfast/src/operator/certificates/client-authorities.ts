import { X509Certificate } from 'node:crypto';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { lookEveryMs, readTextFile } from '../../trust/read-text.ts';

/** Who signs the client certificates of API servers. */
export interface ClientAuthorities {
  /** PEM. */
  current(): string;
  /** Calls back when the authorities in the file have changed. */
  onChange(changed: () => void): void;
}

export interface ClientAuthorityOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Ends the reading of the file. */
  readonly signal: AbortSignal;
}

export type OpenedAuthorities =
  | { readonly kind: 'open'; readonly authorities: ClientAuthorities }
  | { readonly kind: 'unusable'; readonly problem: string };

/** A read during a write may return half of the file. Two reads this far apart that agree have the whole file. */
const settleMs = 200;

/** Reads the file now, and again while the operator runs. If it becomes unusable, the last usable authorities stay, and the log says so. */
export async function openClientAuthorities(options: ClientAuthorityOptions): Promise<OpenedAuthorities> {
  const first = await readAuthorities(options.file);
  if (!first.ok) return { kind: 'unusable', problem: first.problem };
  const authorities = new FollowedFile(options, first.text);
  void authorities.follow();
  return { kind: 'open', authorities };
}

class FollowedFile implements ClientAuthorities {
  readonly #options: ClientAuthorityOptions;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  readonly #tellUsable: (usable: boolean) => void;
  #text: string;
  #problem = '';

  constructor(options: ClientAuthorityOptions, text: string) {
    this.#options = options;
    this.#log = options.log.with({ part: 'certificates', file: options.file });
    this.#text = text;
    const usable = options.metrics.gauge({
      name: 'client_authorities_usable',
      help: 'Whether the file with the authorities of client certificates could be used when it was last read: 1 or 0.',
      labels: [],
    });
    this.#tellUsable = (is) => usable.set({}, is ? 1 : 0);
    this.#tellUsable(true);
  }

  current(): string {
    return this.#text;
  }

  onChange(changed: () => void): void {
    this.#listeners.add(changed);
  }

  async follow(): Promise<void> {
    const { clock, signal } = this.#options;
    while (await sleep(clock, lookEveryMs, signal)) await this.#look();
  }

  async #look(): Promise<void> {
    const { file, clock, signal } = this.#options;
    const read = await readAuthorities(file);
    if (read.ok && read.text === this.#text) return this.#noteProblem('');
    await sleep(clock, settleMs, signal);
    const again = await readAuthorities(file);
    if (signal.aborted) return;
    if (!again.ok) return this.#noteProblem(again.problem);
    this.#noteProblem('');
    if (read.ok && again.text === read.text) this.#change(again.text);
  }

  #change(text: string): void {
    this.#text = text;
    this.#log.info('the authorities of client certificates changed', { count: certificatesIn(text).length });
    for (const changed of this.#listeners) changed();
  }

  /** Logs a problem once, not with every read of the file. */
  #noteProblem(problem: string): void {
    if (problem !== '' && problem !== this.#problem) {
      this.#log.warn(
        'the file with the authorities of client certificates cannot be used; the earlier ones stay in use',
        {
          problem,
        },
      );
    }
    this.#problem = problem;
    this.#tellUsable(problem === '');
  }
}

type ReadAuthorities = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

async function readAuthorities(file: string): Promise<ReadAuthorities> {
  const read = await readTextFile(file);
  if (!read.ok) return read;
  const blocks = certificatesIn(read.text);
  if (blocks.length === 0) return { ok: false, problem: `${file} holds no certificate` };
  const broken = blocks.findIndex((block) => !isAuthority(block));
  if (broken >= 0) return { ok: false, problem: `certificate ${broken + 1} of ${file} is not that of an authority` };
  return { ok: true, text: read.text };
}

function certificatesIn(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----.*?(?:-----END CERTIFICATE-----|$)/gs) ?? [];
}

function isAuthority(block: string): boolean {
  try {
    return new X509Certificate(block).ca;
  } catch {
    return false;
  }
}

/** The fingerprints of certificates in PEM. */
export function fingerprintsOf(text: string): ReadonlySet<string> {
  return new Set(certificatesIn(text).map((block) => new X509Certificate(block).fingerprint256));
}

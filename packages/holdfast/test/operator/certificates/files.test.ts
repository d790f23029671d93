import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { barePaths } from '../../../src/operator/certificates/caller-paths.ts';
import type { Certificates } from '../../../src/operator/certificates/certificates.ts';
import { openCertificateFiles } from '../../../src/operator/certificates/files.ts';
import type { PathUpkeep } from '../../../src/operator/certificates/start.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import { createAuthority, issueLeaf, type KeyPair, urlNames } from '../../../src/trust/material.ts';
import { JumpClock } from './jump-clock.ts';
import { eventually, logInto } from './support.ts';

const names = urlNames('https://127.0.0.1');
const material = { nowMs: Date.now(), policy, randomBytes };
const authority = createAuthority(names, material);
const lookMs = 10_000;

let directory: string;
let clock: JumpClock;
let lines: string[];
let opened: Certificates | undefined;
let generation = 0;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
  clock = new JumpClock();
  lines = [];
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
  rmSync(directory, { recursive: true });
});

function newLeaf(): KeyPair {
  return issueLeaf(authority, names, material);
}

/** As the kubelet does it: a new folder, and a link that is set to it. */
function mount({ certificate, key }: KeyPair): void {
  generation += 1;
  const folder = `..${generation}`;
  mkdirSync(join(directory, folder));
  writeFileSync(join(directory, folder, 'tls.crt'), certificate);
  writeFileSync(join(directory, folder, 'tls.key'), key);
  symlinkSync(folder, join(directory, '..tmp'));
  renameSync(join(directory, '..tmp'), join(directory, '..data'));
  for (const name of ['tls.crt', 'tls.key']) {
    rmSync(join(directory, name), { force: true });
    symlinkSync(join('..data', name), join(directory, name));
  }
}

const upkeep: PathUpkeep = {
  paths: barePaths,
  lead: (signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    }),
  close: () => Promise.resolve(),
};

async function open(wanted = names) {
  const metrics = createMetrics();
  const result = await openCertificateFiles({ directory, names: wanted, clock, log: logInto(lines), metrics, upkeep });
  if (result.kind === 'open') opened = result.certificates;
  return { result, metrics };
}

async function start(wanted = names): Promise<Certificates> {
  const { result } = await open(wanted);
  if (result.kind !== 'open') throw new Error(result.problem);
  return result.certificates;
}

describe('certificates from files', () => {
  it('are there at once, and their end is told', async () => {
    const leaf = newLeaf();
    mount(leaf);
    const { metrics } = await open();
    expect(await opened?.first).toEqual(leaf);
    expect(opened?.current()).toEqual(leaf);
    expect(opened?.ready()).toBe(true);
    const ends = Date.parse(new X509Certificate(leaf.certificate).validTo) / 1000;
    expect(await metrics.render()).toContain(`holdfast_certificate_end_timestamp_seconds ${ends}`);
  });

  it('come with whom to trust, where that is beside them', async () => {
    mount(newLeaf());
    expect((await open()).result).toMatchObject({ kind: 'open', authorities: undefined });
    await opened?.close();
    writeFileSync(join(directory, 'ca.crt'), authority.certificate);
    expect((await open()).result).toMatchObject({ kind: 'open', authorities: authority.certificate });
    await opened?.close();
    writeFileSync(join(directory, 'ca.crt'), 'x'.repeat(100_000));
    expect((await open()).result).toMatchObject({
      kind: 'unusable',
      problem: expect.stringContaining('ca.crt is larger'),
    });
  });

  it('keep the authorities that come after the leaf', async () => {
    const { certificate, key } = newLeaf();
    mount({ certificate: certificate + authority.certificate, key });
    expect((await start()).current()?.certificate).toBe(certificate + authority.certificate);
  });

  it('are read again when a mounted Secret changes, and only then', async () => {
    mount(newLeaf());
    const certificates = await start();
    const seen: KeyPair[] = [];
    certificates.onChange((pair) => seen.push(pair));
    const renewed = newLeaf();
    clock.jump(lookMs);
    mount(renewed);
    await eventually(() => {
      clock.jump(lookMs);
      return seen.length > 0;
    }, 'the new one');
    clock.jump(lookMs);
    expect(seen).toEqual([renewed]);
    expect(certificates.current()).toEqual(renewed);
  });

  it('that became unusable are told once, and the good ones stay in use until better ones come', async () => {
    const good = newLeaf();
    mount(good);
    const certificates = await start();
    mount({ certificate: newLeaf().certificate, key: good.key });
    const told = () => lines.filter((line) => line.includes('tls.key: is not the key of tls.crt'));
    await eventually(() => {
      clock.jump(lookMs);
      return told().length > 0;
    }, 'the problem');
    for (let look = 0; look < 5; look += 1) {
      clock.jump(lookMs);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(told()).toHaveLength(1);
    expect(certificates.current()).toEqual(good);
    const better = newLeaf();
    mount(better);
    await eventually(() => {
      clock.jump(lookMs);
      return certificates.current()?.key === better.key;
    }, 'the better one');
    expect(lines.join('')).not.toContain('PRIVATE KEY');
  });

  it('that have ended are not good enough', async () => {
    mount(newLeaf());
    const certificates = await start();
    clock.jump(policy.leafLifetimeMs + 1_000);
    expect(certificates.ready()).toBe(false);
    expect(certificates.current()).toBeDefined();
  });

  it('that lack a name are served all the same, and told', async () => {
    mount(newLeaf());
    const certificates = await start(urlNames('https://elsewhere.example'));
    expect(certificates.ready()).toBe(true);
    expect(lines.some((line) => line.includes('lacks names') && line.includes('elsewhere.example'))).toBe(true);
  });

  it.each<readonly [string, () => void, RegExp]>([
    ['are not there', () => undefined, /tls\.crt cannot be read: ENOENT/],
    ['are folders', () => mkdirSync(join(directory, 'tls.crt')), /tls\.crt cannot be read: EISDIR/],
    ['lack the key', () => writeFileSync(join(directory, 'tls.crt'), 'x'), /tls\.key cannot be read: ENOENT/],
    ['hold nonsense', () => mount({ certificate: 'x', key: 'x' }), /tls\.crt: is not a certificate/],
    ['are empty', () => mount({ certificate: '', key: '' }), /tls\.crt: is not a certificate/],
    ['are huge', () => mount({ certificate: 'x'.repeat(100_000), key: '' }), /tls\.crt is larger than 65536 bytes/],
    ['do not fit', () => mount({ ...newLeaf(), key: newLeaf().key }), /tls\.key: is not the key of tls\.crt/],
  ])('that %s are refused with a reason', async (_, prepare, problem) => {
    prepare();
    const { result } = await open();
    expect(result).toEqual({ kind: 'unusable', problem: expect.stringMatching(problem) });
  });

  it('need no leader, and a leader waits to be stopped', async () => {
    mount(newLeaf());
    const certificates = await start();
    const stopping = new AbortController();
    let led = true;
    const leading = certificates.lead(stopping.signal).then(() => {
      led = false;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(led).toBe(true);
    stopping.abort();
    await leading;
    await certificates.lead(stopping.signal);
  });
});

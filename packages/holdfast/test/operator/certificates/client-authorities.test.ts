import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPki, type KeyPair } from '../../../../embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import type { WebhookServer } from '../../../src/operator/admission/wire/server.ts';
import { barePaths } from '../../../src/operator/certificates/caller-paths.ts';
import { openClientAuthorities } from '../../../src/operator/certificates/client-authorities.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';
import { reviewText } from '../admission/reviews.ts';
import { type Certified, send, startServer } from '../admission/support.ts';
import { JumpClock } from './jump-clock.ts';
import { eventually, logInto } from './support.ts';

const former = createPki({ clock: realClock });
const next = createPki({ clock: realClock });
const ofFormer = former.issueClient('api-server', []);
const ofNext = next.issueClient('api-server', []);

const lookMs = 10_000;
let directory: string;
let file: string;
let clock: JumpClock;
let metrics: Metrics;
let lines: string[];
let stopping: AbortController;
let server: WebhookServer | undefined;
let agents: Agent[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-client-ca-'));
  file = join(directory, 'ca.crt');
  clock = new JumpClock();
  metrics = createMetrics();
  lines = [];
  agents = [];
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  for (const agent of agents) agent.destroy();
  await server?.close(0);
  server = undefined;
  rmSync(directory, { recursive: true });
});

function open() {
  return openClientAuthorities({ file, clock, log: logInto(lines), metrics, signal: stopping.signal });
}

/** A webhook server that asks for client certificates of the authorities in the file. */
async function serving(text: string): Promise<{ readonly port: number; readonly keyPair: Certified }> {
  writeFileSync(file, text);
  const opened = await open();
  if (opened.kind === 'unusable') throw new Error(opened.problem);
  const clients = { authorities: opened.authorities, names: ['api-server'] };
  const started = await startServer({ callers: { paths: barePaths, clients } });
  server = started.server;
  return { port: server.port, keyPair: started.keyPair };
}

/** Calls on one connection that is kept, as API servers do. */
function callerWith(client: KeyPair, { port, keyPair }: { readonly port: number; readonly keyPair: Certified }) {
  const tls = { ca: keyPair.ca, cert: client.certificate, key: client.key };
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return async () => (await send({ agent, port, body: reviewText() })).code;
}

/** The file is read again, twice if it has changed. */
function look(): void {
  clock.jump(lookMs);
}

async function eventuallyAnswers(call: () => Promise<number>, code: number): Promise<void> {
  await eventually(async () => {
    look();
    return (await call()) === code;
  }, `the answer ${code}`);
}

describe('[I13] the authorities of client certificates', () => {
  it('are read again when the file changes: no call of an API server fails while both are listed', async () => {
    const at = await serving(former.material.caCertificate);
    const kept = callerWith(ofFormer, at);
    expect(await kept()).toBe(200);
    expect(await callerWith(ofNext, at)()).toBe(404);
    writeFileSync(file, former.material.caCertificate + next.material.caCertificate);
    const changed = callerWith(ofNext, at);
    await eventuallyAnswers(changed, 200);
    expect(await kept()).toBe(200);
    writeFileSync(file, next.material.caCertificate);
    await eventuallyAnswers(callerWith(ofFormer, at), 404);
    expect(await changed()).toBe(200);
    expect(await callerWith(ofNext, at)()).toBe(200);
  });

  it('that were taken out of the file vouch for no connection any more, not even for one that was kept', async () => {
    const at = await serving(former.material.caCertificate);
    const kept = callerWith(ofFormer, at);
    expect(await kept()).toBe(200);
    writeFileSync(file, next.material.caCertificate);
    await eventuallyAnswers(callerWith(ofNext, at), 200);
    expect(await kept()).toBe(404);
  });

  it('keep their place when the certificate of the webhooks changes', async () => {
    const at = await serving(former.material.caCertificate);
    writeFileSync(file, next.material.caCertificate);
    await eventuallyAnswers(callerWith(ofNext, at), 200);
    const { keyPair } = at;
    expect(server?.rotate(keyPair)).toEqual({ ok: true });
    expect(await callerWith(ofNext, at)()).toBe(200);
    expect(await callerWith(ofFormer, at)()).toBe(404);
  });

  it.each<readonly [string, () => void, RegExp]>([
    ['is missing', () => rmSync(file), /cannot be read/],
    ['is empty', () => writeFileSync(file, ''), /holds no certificate/],
    [
      'is cut off',
      () => writeFileSync(file, former.material.caCertificate.slice(0, 200)),
      /certificate 1 .* authority/,
    ],
    ['holds a leaf', () => writeFileSync(file, ofFormer.certificate), /certificate 1 .* authority/],
    [
      'holds nonsense beside an authority',
      () => writeFileSync(file, `${former.material.caCertificate}-----BEGIN CERTIFICATE-----\nAAAA\n`),
      /certificate 2 .* authority/,
    ],
  ])(
    'stay those that were read when the file %s, which is told once, until it can be used again',
    async (_name, spoil, problem) => {
      const at = await serving(former.material.caCertificate);
      expect(await metrics.render()).toContain('holdfast_client_authorities_usable 1');
      spoil();
      const usable = async (is: number) =>
        eventually(async () => {
          look();
          return (await metrics.render()).includes(`holdfast_client_authorities_usable ${is}`);
        }, `usable to be ${is}`);
      await usable(0);
      for (let again = 0; again < 3; again += 1) {
        look();
        expect(await callerWith(ofFormer, at)()).toBe(200);
      }
      const told = lines.filter((line) => line.includes('the earlier ones stay in use'));
      expect(told).toEqual([expect.stringMatching(problem)]);
      writeFileSync(file, next.material.caCertificate);
      await usable(1);
      await eventuallyAnswers(callerWith(ofNext, at), 200);
    },
  );

  it('that cannot be used at the start are a problem', async () => {
    expect(await open()).toMatchObject({ kind: 'unusable', problem: expect.stringContaining('cannot be read') });
    writeFileSync(file, 'nonsense');
    expect(await open()).toEqual({ kind: 'unusable', problem: `${file} holds no certificate` });
  });
});

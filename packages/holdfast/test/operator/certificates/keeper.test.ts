import { randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import { operatorName, webhookPaths } from '../../../src/api/installation-names.ts';
import { resources } from '../../../src/observe/resources.ts';
import { webhookNames } from '../../../src/operator/certificates/names.ts';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import { createAuthority, issueLeaf } from '../../../src/trust/material.ts';
import { JumpClock } from './jump-clock.ts';
import {
  type Bed,
  bundles,
  eventually,
  forgetAll,
  type Replica,
  type ReplicaWish,
  readConfiguration,
  readSecretObject,
  register,
  secretPlace,
  startBed,
  startReplica,
  trustedCounts,
} from './support.ts';

/** Against a real API, with the permissions of the manifests. */

const day = 24 * 60 * 60 * 1000;
const material = { nowMs: Date.now(), policy, randomBytes };
const encoded = (text: string) => Buffer.from(text).toString('base64');
const url = 'https://127.0.0.1:9443';
let bed: Bed;
let atEnd: (() => Promise<void>)[] = [];

beforeAll(async () => {
  bed = await startBed();
});

afterAll(() => bed?.close());

beforeEach(() => forgetAll(bed));

afterEach(async () => {
  for (const end of atEnd.toReversed()) await end();
  atEnd = [];
});

function replica(wish: ReplicaWish = {}): Replica {
  const started = startReplica(bed, wish);
  atEnd.push(() => started.certificates.close());
  return started;
}

function lead(leader: Replica): () => Promise<void> {
  const stop = leader.lead();
  atEnd.push(stop);
  return stop;
}

async function registered(): Promise<void> {
  expect(await register(bed.admin, url, new Set(Object.values(webhookPaths)))).toEqual({ kind: 'registered' });
}

const isReady = (...all: readonly Replica[]) => all.every(({ certificates }) => certificates.ready());
const serialOf = ({ certificates }: Replica) =>
  new X509Certificate(certificates.current()?.certificate ?? '').serialNumber;

/** A leader and another replica, all in place. */
async function settled(wish: ReplicaWish = {}): Promise<readonly [Replica, Replica]> {
  await registered();
  const both = [replica(wish), replica(wish)] as const;
  lead(both[0]);
  await eventually(() => isReady(...both), 'both to be ready');
  return both;
}

async function writeSecret(data: Record<string, string>): Promise<void> {
  const { metadata } = await readSecretObject(bed);
  unwrap(await bed.admin.replace(resources.secrets, secretPlace, { metadata, data }));
}

/** Watches that were silent through a jump of the clock hear something, as they would within a minute. */
async function touchAll(): Promise<void> {
  const body = { metadata: { annotations: { touched: String(performance.now()) } } };
  for (const resource of [resources.validating, resources.mutating]) {
    unwrap(await bed.admin.patch(resource, { name: operatorName }, { type: 'merge', body }));
  }
  unwrap(await bed.admin.patch(resources.secrets, secretPlace, { type: 'merge', body }));
}

describe('the first start', () => {
  it('has a certificate as soon as a replica leads, the same for all, and every webhook trusts it', async () => {
    await registered();
    const [leader, other] = [replica(), replica()];
    lead(leader);
    const pairs = await Promise.all([leader.certificates.first, other.certificates.first]);
    expect(pairs[0]).toEqual(pairs[1]);
    const leaf = new X509Certificate(pairs[0]?.certificate ?? '');
    for (const name of ['holdfast.holdfast-system.svc', 'localhost']) expect(leaf.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1']) expect(leaf.checkIP(address)).toBe(address);
    await eventually(() => isReady(leader, other), 'both to be ready');
    const [first = '', ...rest] = await bundles(bed);
    expect(rest).toEqual(rest.map(() => first));
    expect(leaf.verify(new X509Certificate(first).publicKey)).toBe(true);
    expect(leader.lines.join('')).not.toContain('PRIVATE KEY');
  });

  it('waits for a leader, and ends when it is closed', async () => {
    const { certificates } = replica();
    expect(certificates.ready()).toBe(false);
    expect(certificates.current()).toBeUndefined();
    await certificates.close();
    expect(await certificates.first).toBeUndefined();
  });

  it('does not need webhook configurations, and fills them in when they come', async () => {
    const leader = replica();
    lead(leader);
    await eventually(() => isReady(leader), 'it to be ready');
    await registered();
    await eventually(async () => (await trustedCounts(bed)).every((count) => count === 1), 'the bundles');
    await eventually(() => isReady(leader), 'it to be ready again');
  });

  it('comes to an end through a storm of foreign writes', async () => {
    await registered();
    let storming = true;
    const storm = async () => {
      for (let count = 0; storming; count += 1) {
        const body = { metadata: { annotations: { count: String(count) } } };
        await bed.admin.patch(resources.validating, { name: operatorName }, { type: 'merge', body });
        await bed.admin.patch(resources.secrets, secretPlace, { type: 'merge', body });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const storms = Promise.all([storm(), storm()]);
    const leader = replica();
    lead(leader);
    await eventually(() => isReady(leader), 'it to be ready');
    storming = false;
    await storms;
    expect(new Set(await trustedCounts(bed))).toEqual(new Set([1]));
  });

  it('by two leaders at once makes one authority, and one leaf', async () => {
    await registered();
    const both = [replica(), replica()];
    for (const leader of both) lead(leader);
    await eventually(() => isReady(...both), 'both to be ready');
    expect(both.map(serialOf)).toEqual([serialOf(both[0] as Replica), serialOf(both[0] as Replica)]);
    const made = await Promise.all(both.map(({ metrics }) => metrics.render()));
    expect(made.join('').match(/certificate_writes_total\{what="addAuthority",result="done"\} 1/g)).toHaveLength(1);
    expect(new Set(await trustedCounts(bed))).toEqual(new Set([1]));
  });
});

describe('what people do', () => {
  it('a Secret that was deleted comes back; what is served stays trusted, and is replaced when all trust its heir', async () => {
    const clock = new JumpClock();
    const both = await settled({ clock });
    const before = serialOf(both[1]);
    unwrap(await bed.admin.delete(resources.secrets, secretPlace));
    await eventually(async () => (await trustedCounts(bed)).every((count) => count === 2), 'both authorities');
    await eventually(() => isReady(...both), 'both to be ready');
    expect(both.map(serialOf)).toEqual([before, before]);
    await eventually(() => {
      clock.jump(policy.settleMs / 3);
      return both.every((one) => serialOf(one) !== before);
    }, 'the heir');
    await touchAll();
    await eventually(() => isReady(...both), 'both to be ready');
    expect(new Set(await trustedCounts(bed))).toEqual(new Set([2]));
    await eventually(async () => {
      clock.jump(policy.pickupMs / 3);
      return (await trustedCounts(bed)).every((count) => count === 1);
    }, 'the old authority to go');
    await touchAll();
    await eventually(() => isReady(...both), 'both to be ready');
  });

  it.each([
    ['nonsense', { 'ca.crt': 'eA==', 'ca.key': 'eA==', 'tls.crt': 'eA==', 'tls.key': 'eA==' }],
    ['nothing', {}],
  ])('a Secret that holds %s is made again, and no replica stops serving', async (_, data) => {
    const both = await settled();
    const before = serialOf(both[1]);
    await writeSecret(data);
    await eventually(async () => (await trustedCounts(bed)).every((count) => count === 2), 'both authorities');
    await eventually(() => isReady(...both), 'both to be ready');
    expect(both.map(serialOf)).toEqual([before, before]);
  });

  it('a leaf that no authority of the Secret signed is never served, and replaced', async () => {
    await registered();
    const [leader, other] = [replica(), replica()];
    const stop = leader.lead();
    await eventually(() => isReady(leader, other), 'both to be ready');
    await stop();
    const served: string[] = [];
    other.certificates.onChange(({ certificate }) => served.push(new X509Certificate(certificate).issuer));
    const { data = {} } = await readSecretObject(bed);
    const authority = new X509Certificate(Buffer.from(data['ca.crt'] ?? '', 'base64'));
    const names = webhookNames('holdfast-system', url);
    const foreign = issueLeaf(createAuthority(names, material), names, material);
    await writeSecret({ ...data, 'tls.crt': encoded(foreign.certificate), 'tls.key': encoded(foreign.key) });
    lead(leader);
    await eventually(() => served.length > 0, 'a leaf of ours');
    expect(served).toEqual([authority.subject]);
    expect(isReady(leader, other)).toBe(true);
  });

  it('bundles that a client emptied are filled in, and until then no replica is ready', async () => {
    await registered();
    const [leader, other] = [replica(), replica()];
    const stop = leader.lead();
    await eventually(() => isReady(leader, other), 'both to be ready');
    await stop();
    const { webhooks = [], ...rest } = await readConfiguration(bed);
    const emptied = webhooks.map((one, index) =>
      index === 1 ? { ...one, clientConfig: { url: `${url}/pods` } } : one,
    );
    unwrap(await bed.admin.replace(resources.validating, { name: operatorName }, { ...rest, webhooks: emptied }));
    await eventually(() => !leader.certificates.ready() && !other.certificates.ready(), 'no replica to be ready');
    lead(leader);
    await eventually(() => isReady(leader, other), 'both to be ready again');
    expect(new Set(await trustedCounts(bed))).toEqual(new Set([1]));
  });
});

describe('time', () => {
  it('that jumped beyond the end of everything brings new certificates', async () => {
    const clock = new JumpClock();
    const both = await settled({ clock });
    for (const ms of [policy.leafLifetimeMs + day, policy.authorityLifetimeMs + day]) {
      const before = serialOf(both[1]);
      clock.jump(ms);
      expect(isReady(both[0]) || isReady(both[1])).toBe(false);
      await eventually(() => both.every((one) => serialOf(one) !== before), 'a new leaf');
      await touchAll();
      await eventually(() => isReady(...both), 'both to be ready');
      expect(new Set(await trustedCounts(bed))).toEqual(new Set([1]));
    }
  });

  it('without a leader makes no replica ready whose leaf has expired', async () => {
    const clock = new JumpClock();
    await registered();
    const one = replica({ clock });
    const stop = one.lead();
    await eventually(() => isReady(one), 'it to be ready');
    await stop();
    clock.jump(policy.leafLifetimeMs + day);
    expect(one.certificates.ready()).toBe(false);
    expect(one.certificates.current()).toBeDefined();
  });

  it('in which the Secret was not seen makes no replica ready, by whichever clock it passed', async () => {
    const clock = new JumpClock();
    const [leader] = await settled({ clock });
    clock.set(policy.confirmWithinMs + 1_000);
    expect(leader.certificates.ready()).toBe(false);
    await touchAll();
    await eventually(() => isReady(leader), 'it to be ready');
    clock.set(-10 * policy.confirmWithinMs);
    expect(leader.certificates.ready()).toBe(true);
    clock.jump(policy.confirmWithinMs + 1_000);
    expect(leader.certificates.ready()).toBe(false);
    await touchAll();
    await eventually(() => isReady(leader), 'it to be ready again');
  });
});

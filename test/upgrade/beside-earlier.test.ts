import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { operatorPolicies } from '../../packages/holdfast/src/install/manifests/operator-policies.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import { type FaultBed, faultBed, type StartedProcess } from '../faults/support/bed.ts';
import { eventually } from '../faults/support/eventually.ts';
import { createDeployment, createGroupPdb, createPub, evict, tally } from '../faults/support/shop.ts';
import { type AvailabilityObserver, byLabel, observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { applyManifest, installOperator } from '../support/installed.ts';
import { earlierCommand, earlierManifests, earlierVersion } from './earlier.ts';

/**
 * The rolling update of an installation of the version before: its manifests, its ledgers and its replicas are there first, and
 * replicas of both versions answer for a while. Clients evict all the time.
 */
const earlier = earlierVersion();
const folder = earlier.kind === 'found' ? earlier.folder : '';
let bed: FaultBed;
let program = '';
const former: StartedProcess[] = [];

const policies = '/apis/admissionregistration.k8s.io/v1';

/** Rights and kinds as the version before was installed: this version's policies are not there. */
async function installEarlier(): Promise<void> {
  const { request } = bed.cluster;
  for (const { kind, metadata } of [...operatorPolicies(defaultInstallValues)].reverse()) {
    const plural =
      kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings';
    await made(request('DELETE', `${policies}/${plural}/${metadata?.name}`));
  }
  for (const manifest of earlierManifests(folder)) await applyManifest(bed.cluster, manifest);
}

const pods = () => `/api/v1/namespaces/${bed.cluster.operatorNamespace}/pods`;

/** A replica's pod, as the Deployment makes it of one template or another: leaders tell versions apart by them. */
async function addPod(name: string, template: string): Promise<void> {
  const labels = {
    'app.kubernetes.io/name': 'holdfast',
    'app.kubernetes.io/component': 'operator',
    'pod-template-hash': template,
  };
  const spec = { nodeName: 'node-1', containers: [{ name: 'operator', image: `holdfast:${template}` }] };
  await made(bed.cluster.request('POST', pods(), { body: { metadata: { name, labels }, spec } }));
}

async function removePod(name: string): Promise<void> {
  await made(bed.cluster.request('DELETE', `${pods()}/${name}?gracePeriodSeconds=0`));
}

async function startFormer(name: string): Promise<void> {
  await addPod(name, 'former');
  former.push(await bed.process({ program }));
}

/** As a rolling update ends a replica: the Service leaves it out, and it ends by itself. */
async function endFormer(name: string): Promise<void> {
  const one = former.shift();
  if (one === undefined) throw new Error('there is no former replica');
  bed.cluster.balancer.remove(one.port);
  expect(await one.operator.kill('SIGTERM')).toBe(0);
  await removePod(name);
}

async function startCurrent(name: string): Promise<number> {
  await addPod(name, 'current');
  return (await bed.replica()).webhookPort;
}

interface Shop {
  readonly namespace: string;
  /** What must serve: pods, or groups of two. */
  readonly needed: number;
  readonly observer: AvailabilityObserver;
}

/** Five pods, of which one may be missing. */
async function openPods(): Promise<Shop> {
  const { cluster } = bed;
  const namespace = await cluster.newNamespace();
  await createDeployment(cluster, namespace, 'web', 5);
  await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 });
  return { namespace, needed: 4, observer: await observeAvailability(cluster, { namespace }) };
}

/** Three groups of two pods, of which two must serve. */
async function openGroups(): Promise<Shop> {
  const { cluster } = bed;
  const namespace = await cluster.newNamespace();
  for (const shard of ['a', 'b', 'c']) await createDeployment(cluster, namespace, shard, 2);
  await createGroupPdb(cluster, namespace, 'shards', { minAvailable: 2, groupLabel: 'app', labels: {} });
  const observer = await observeAvailability(cluster, { namespace, unitOf: byLabel('app'), minimum: 2 });
  return { namespace, needed: 2, observer };
}

/** Evicts one pod after another, from several clients at once, until it is told to stop. */
class Clients {
  readonly answers: { readonly code: number; readonly text: string }[] = [];
  readonly #shops: readonly Shop[];
  #going = true;
  #running: Promise<unknown> = Promise.resolve();

  constructor(shops: readonly Shop[]) {
    this.#shops = shops;
    this.#start();
  }

  /** So many pods more are evicted. */
  async more(count = 5): Promise<void> {
    const soFar = this.#allowed();
    const said = () => JSON.stringify(tally(this.answers));
    await eventually(() => this.#allowed() >= soFar + count, `${count} more pods are evicted`, said);
  }

  /**
   * API servers keep their connections, and would go on calling the replicas that were there first. Between two evictions all connections
   * are cut, and those that are made then lead to every replica.
   */
  async spreadOver(...ports: readonly number[]): Promise<void> {
    const { balancer } = bed.cluster;
    await eventually(async () => {
      await this.stop();
      balancer.cut();
      await eventually(async () => (await this.#tryOne()) < 500, 'no connection is left that was cut');
      this.#start();
      await this.more(2);
      return ports.every((port) => balancer.connections(port) > 0);
    }, 'every replica is called');
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#running;
  }

  #start(): void {
    this.#going = true;
    this.#running = Promise.all(this.#shops.flatMap((shop) => [0, 1, 2].map((number) => this.#evict(shop, number))));
  }

  async #evict({ namespace }: Shop, number: number): Promise<void> {
    for (let turn = number; this.#going; turn += 1) {
      const name = await podOf(namespace, turn);
      if (name !== undefined) this.answers.push(await evict(bed.cluster, namespace, name));
    }
  }

  async #tryOne(): Promise<number> {
    const namespace = this.#shops[0]?.namespace ?? '';
    return (await evict(bed.cluster, namespace, (await podOf(namespace, 0)) ?? '', { dryRun: true })).code;
  }

  #allowed(): number {
    return this.answers.filter(({ code }) => code === 201 || code === 404).length;
  }
}

async function podOf(namespace: string, turn: number): Promise<string | undefined> {
  const { items } = await made(bed.cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`));
  return items[turn % items.length]?.metadata.name;
}

/** The paths that API servers call, without the last part. */
async function segments(): Promise<readonly string[]> {
  const path = `${policies}/validatingwebhookconfigurations/holdfast`;
  const { webhooks } = (await made(bed.cluster.request('GET', path))) as unknown as {
    webhooks: { clientConfig: { url: string } }[];
  };
  const paths = webhooks.map(({ clientConfig }) =>
    new URL(clientConfig.url).pathname.split('/').slice(1, -1).join('/'),
  );
  return [...new Set(paths)];
}

describe.skipIf(earlier.kind === 'missing')('an upgrade from the version before', () => {
  beforeAll(async () => {
    program = await earlierCommand(folder);
    bed = await faultBed();
    await installEarlier();
    await startFormer('former-1');
    await startFormer('former-2');
  }, 180_000);
  afterAll(() => bed?.close());

  it('[I1] [I8] [I13] fails no call and overspends no budget, while replicas of both versions answer', async () => {
    const shops = [await openPods(), await openGroups()];
    const clients = new Clients(shops);
    // Also after a failure, before there is no server any more.
    onTestFinished(() => clients.stop());
    await clients.more();
    expect(await segments()).toEqual(['']);

    // As an administrator does: the manifests first, then replica after replica.
    await installOperator(bed.cluster);
    const first = await startCurrent('current-1');
    await clients.spreadOver(first, ...former.map(({ port }) => port));
    await clients.more();
    await endFormer('former-1');
    const second = await startCurrent('current-2');
    await clients.spreadOver(first, second, ...former.map(({ port }) => port));
    await clients.more();
    // A replica that knows no segments is there: API servers go on calling by the bare path.
    expect(await segments()).toEqual(['']);
    await endFormer('former-2');
    await eventually(
      async () => !(await segments()).includes(''),
      'webhooks are called by a path that proves API servers',
    );
    await clients.more();
    await clients.stop();

    const failed = clients.answers.filter(({ code }) => ![201, 404, 409, 429].includes(code));
    expect(failed.map(({ text }) => text)).toEqual([]);
    for (const { observer, needed } of shops) {
      await observer.caughtUp();
      expect(observer.gaps).toBe(0);
      expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(needed);
      observer.close();
    }
  }, 300_000);
});

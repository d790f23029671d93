import { unwrap } from '../../../../test/support/unwrap.ts';
import { systemUser } from '../../../embedded-cluster/src/auth/user.ts';
import { type Cluster, startCluster } from '../../../embedded-cluster/src/cluster.ts';
import { createNodes } from '../../../embedded-cluster/src/nodes/create-nodes.ts';
import { outcomeLine } from '../../src/cli/install/install-texts.ts';
import { install } from '../../src/install/apply/install.ts';
import type { Ended } from '../../src/install/outcome.ts';
import { uninstall } from '../../src/install/remove/uninstall.ts';
import { defaultInstallValues, type InstallValues } from '../../src/install/values/values.ts';
import type { KubeClient, ResourceName } from '../../src/kube/client/client.ts';
import { accessOf, parseKubeconfig } from '../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../src/kube/config/target-of.ts';
import { type Clock, realClock } from '../../src/kube/time/clock.ts';
import type { Connection } from '../../src/kube/transport/connection.ts';
import { resources } from '../../src/observe/resources.ts';
import { type TrustingConfiguration, withTrust } from '../../src/trust/webhook-trust.ts';
import { clientOf, connect } from '../kube/support/server.ts';

export interface Wish {
  readonly values?: Partial<InstallValues>;
  readonly crdsOnly?: boolean;
  readonly dryRun?: boolean;
  readonly deleteUserData?: boolean;
  readonly namespace?: string;
  /** The time is over when this is waited for. */
  readonly giveUpAt?: RegExp;
  /** Another user than the administrator. */
  readonly as?: string;
  readonly signal?: AbortSignal;
}

/** Longer than any machine needs. */
const timeoutMs = 100_000;
/** So much more often than in real life is looked. */
const faster = 25;

export interface Told {
  readonly ended: Ended;
  readonly lines: readonly string[];
  readonly waits: readonly string[];
}

/** A cluster to install into, where the test plays the operator. */
export class Place {
  readonly cluster: Cluster;
  readonly admin: KubeClient;
  readonly #connections: Connection[] = [];

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.admin = this.clientFor(undefined);
  }

  static async start(): Promise<Place> {
    const cluster = await startCluster({ speed: 50, report: () => undefined });
    const nodes = cluster.plane.clientFor(systemUser, 'test');
    for (const node of createNodes(3, undefined, Date.now())) await nodes.create('nodes', node);
    return new Place(cluster);
  }

  clientFor(user: string | undefined): KubeClient {
    const access = accessOf(parseKubeconfig(this.cluster.kubeconfig(), '/'));
    const impersonate = user === undefined ? undefined : { user, uid: undefined, groups: [], extra: {} };
    const connection = connect(targetOf({ ...access, user: { ...access.user, impersonate } }, realClock));
    this.#connections.push(connection);
    return clientOf(connection);
  }

  async install(wish: Wish = {}): Promise<Told> {
    const values = { ...defaultInstallValues, ...wish.values };
    const mode = { crdsOnly: wish.crdsOnly ?? false, dryRun: wish.dryRun ?? false };
    return this.#told(wish, (ports) => install({ values, mode, timeoutMs }, ports));
  }

  async uninstall(wish: Wish = {}): Promise<Told> {
    const namespace = wish.namespace ?? defaultInstallValues.namespace;
    const deleteUserData = wish.deleteUserData ?? false;
    const dryRun = wish.dryRun ?? false;
    return this.#told(wish, (ports) => uninstall({ namespace, deleteUserData, dryRun, timeoutMs }, ports));
  }

  async #told(wish: Wish, work: (ports: Parameters<typeof install>[1]) => Promise<Ended>): Promise<Told> {
    const lines: string[] = [];
    const waits: string[] = [];
    let aheadMs = 0;
    const clock: Clock = {
      ...realClock,
      monotonic: () => realClock.monotonic() + aheadMs,
      after: (delayMs, callback) => realClock.after(delayMs / faster, callback),
    };
    const ended = await work({
      client: wish.as === undefined ? this.admin : this.clientFor(wish.as),
      clock,
      signal: wish.signal ?? new AbortController().signal,
      report: (report) => {
        if (report.kind === 'waiting' && wish.giveUpAt?.test(report.text)) aheadMs = 2 * timeoutMs;
        if (report.kind === 'waiting') waits.push(report.text);
        else lines.push(outcomeLine(report, wish.dryRun));
      },
    });
    return { ended, lines, waits };
  }

  /** Fills in whom to trust as soon as there is a configuration, as a leader does. */
  async playOperator(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      for (const kind of [resources.validating, resources.mutating]) await this.#fillIn(kind);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #fillIn(kind: ResourceName): Promise<void> {
    const found = await this.admin.get<Configuration>(kind, { name: 'holdfast' });
    if (!found.ok || found.value.webhooks.every(({ clientConfig }) => clientConfig['caBundle'] !== undefined)) return;
    const webhooks = found.value.webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }));
    await this.admin.replace(kind, { name: 'holdfast' }, { ...found.value, webhooks }, { fieldManager: 'holdfast' });
  }

  /** As the leader does when it rotates them. */
  async writePaths(segment: string): Promise<readonly (string | undefined)[]> {
    for (const kind of [resources.validating, resources.mutating]) {
      const found = unwrap(await this.admin.get<TrustingConfiguration>(kind, { name: 'holdfast' }));
      const wanted = withTrust(found, { authorities: undefined, segment });
      unwrap(await this.admin.replace(kind, { name: 'holdfast' }, wanted ?? found, { fieldManager: 'holdfast' }));
    }
    return this.paths();
  }

  async paths(): Promise<readonly (string | undefined)[]> {
    const all = [resources.validating, resources.mutating].map(async (kind) => {
      const { webhooks = [] } = unwrap(await this.admin.get<TrustingConfiguration>(kind, { name: 'holdfast' }));
      return webhooks.map(({ clientConfig }) => clientConfig.service?.path);
    });
    return (await Promise.all(all)).flat();
  }

  async names(resource: ResourceName): Promise<readonly string[]> {
    const path = `/${resource.group === '' ? 'api' : `apis/${resource.group}`}/${resource.version}/${resource.plural}`;
    const list = unwrap(await this.admin.document<{ items: { metadata: { name: string } }[] }>(path));
    return list.items.map(({ metadata }) => metadata.name);
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    await this.cluster.close();
  }
}

interface Configuration {
  readonly webhooks: readonly { readonly clientConfig: Readonly<Record<string, unknown>> }[];
}

const caBundle = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64');

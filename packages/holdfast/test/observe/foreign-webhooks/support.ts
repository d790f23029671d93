import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import { answeredPaths, webhookConfigurations } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues, type InstallValues } from '../../../src/install/values/values.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { createClients } from '../../../src/kube/client/clients.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { type Clients, operatorPurposeLimits } from '../../../src/observe/purposes.ts';
import { connect } from '../../kube/support/server.ts';

export interface Server {
  readonly cluster: Cluster;
  readonly clients: Clients;
  /** For what others do. */
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** An API server with nothing in it that acts. */
export async function aServer(): Promise<Server> {
  const cluster = await startCluster({ controllers: false, report: () => {} });
  const connection = connect(targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/')), realClock));
  const clients = createClients(connection, operatorPurposeLimits, realClock);
  return {
    cluster,
    clients,
    client: clients.upkeep,
    async close() {
      connection.close();
      await cluster.close();
    },
  };
}

/** The ValidatingWebhookConfiguration of our manifests. */
export function ourConfiguration(webhook: Partial<InstallValues['webhook']> = { caBundle: 'us' }): object {
  const values = { ...defaultInstallValues, webhook: { ...defaultInstallValues.webhook, ...webhook } };
  const all = webhookConfigurations(values, answeredPaths);
  const found = all.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  if (found === undefined) throw new Error('the manifests have no such configuration');
  return found;
}

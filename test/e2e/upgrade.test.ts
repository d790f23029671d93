import { afterAll, describe, expect, it } from 'vitest';
import { agentUser } from '../../packages/holdfast/src/api/installation-names.ts';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../packages/holdfast/src/api/probe-lease.ts';
import { formerProbeLeaseName } from '../../packages/holdfast/src/kube/probes/lease-name.ts';
import { made } from '../support/cluster.ts';
import { applyManifest } from '../support/installed.ts';
import type { Answer } from '../support/kube-http.ts';
import { agentsOf, untilBlocked, untilEvictable, wouldEvict } from './support/agents.ts';
import { Applications } from './support/applications.ts';
import { addNode } from './support/nodes.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

/**
 * Agents are replaced node by node. Those of version 0.1 kept their lease in the operator's namespace, by a digest of the node's name, and
 * had a Role for it there, which an installation leaves to them until they are gone.
 */
const { cluster, skipped } = await suite();
const applications = await Applications.start(cluster);
afterAll(() => applications.close());
const startAgent = skipped ? undefined : await agentsOf(cluster);

const { operatorNamespace } = cluster;
const leases = `/apis/coordination.k8s.io/v1/namespaces/${operatorNamespace}/leases`;
const user = agentUser(operatorNamespace);

async function grantFormerRights(): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'holdfast-agent', namespace: operatorNamespace };
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] }];
  await applyManifest(cluster, { apiVersion, kind: 'Role', metadata, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name: metadata.name, namespace: operatorNamespace }];
  await applyManifest(cluster, { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects });
  const root = `/apis/${apiVersion}/namespaces/${operatorNamespace}`;
  for (const kind of ['roles', 'rolebindings']) cluster.cleanUp(`${root}/${kind}/${metadata.name}`);
}

/** The agent of version 0.1 on a node: what it writes, with a token of that node. */
function formerAgent(node: string, tokenOf = node) {
  const as = { user, extra: { 'authentication.kubernetes.io/node-name': tokenOf } };
  const name = formerProbeLeaseName(node);
  let renewals = 0;
  return async (uids: readonly string[]): Promise<Answer> => {
    renewals += 1;
    const found = await cluster.request('GET', `${leases}/${name}`, { as });
    const { resourceVersion } = found.code === 200 ? found.body.metadata : {};
    const holder = `former-${node}`;
    const body = {
      metadata: {
        name,
        labels: probeLeaseLabels,
        annotations: probeLeaseAnnotations(node, holder, uids),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      spec: { holderIdentity: holder, leaseDurationSeconds: 600, leaseTransitions: renewals, renewTime: microTime() },
    };
    return found.code === 200
      ? cluster.request('PUT', `${leases}/${name}`, { as, body })
      : cluster.request('POST', leases, { as, body });
  };
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}

describe.skipIf(skipped)('an installation of an earlier version is brought up to date', () => {
  it('[A3] the word of a former agent counts until the new one has its place; its "yes" never outlives a newer "no"', async () => {
    await grantFormerRights();
    const own = await addNode(cluster, 'upgraded', { spec: applications.nodeSpec });
    const scene = await sceneIn(cluster);
    applications.expect(scene, 'db', 'no');
    await scene.addPods(applications.probed(scene, 'db', { node: own }));
    await scene.waitGuarded();
    const { uid } = (await scene.pod('db')).body.metadata;
    const renew = formerAgent(own);
    // As the former agent did: the application said yes to it.
    const conditions = [{ type: 'Disruptable', status: 'True', reason: 'ProbeSucceeded', message: 'm' }];
    await made(scene.patchPod('db', { status: { conditions } }, 'status'));
    await made(renew([uid]));
    await made(renew([uid]));
    await untilEvictable(scene, 'db');

    // The application says no, and the new agent is the first to hear it. From its first lease on nothing else counts.
    await startAgent?.(own);
    await untilBlocked(scene, 'db', 'ProbeVeto');
    await made(renew([uid]));
    for (let i = 0; i < 20; i += 1) expectNotNow(await wouldEvict(scene, 'db'));
    await applications.says(scene, 'db', 'yes');
    await untilEvictable(scene, 'db');
    expectDone(await wouldEvict(scene, 'db'));
  });

  it('[A3] a former agent writes the lease of its own node, and no other of that namespace', async () => {
    await grantFormerRights();
    const [own, other] = [await addNode(cluster, 'former'), await addNode(cluster, 'foreign')];
    expect((await formerAgent(own)([])).code).toBe(201);
    expect((await formerAgent(own, other)([])).code).toBe(403);
    expect((await formerAgent(other, own)([])).code).toBe(403);
    const as = { user, extra: { 'authentication.kubernetes.io/node-name': own } };
    const spec = { holderIdentity: 'evil', leaseDurationSeconds: 3_600 };
    const found = await made(cluster.request('GET', `${leases}/holdfast-operator`));
    const taken = await cluster.request('PUT', `${leases}/holdfast-operator`, { as, body: { ...found, spec } });
    expect(taken.code).toBe(403);
  });
});

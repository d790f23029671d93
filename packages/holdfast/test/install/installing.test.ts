import type { Namespace } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../../test/support/unwrap.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import { crdManifests } from '../../src/install/manifests/manifests.ts';
import { answeredPaths, webhookConfigurations } from '../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../src/install/values/values.ts';
import { resources } from '../../src/observe/resources.ts';
import { Place } from './installing.ts';

const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
} as const;
const configMaps = { group: '', version: 'v1', plural: 'configmaps', namespaced: true } as const;
const services = { ...configMaps, plural: 'services' } as const;
const localRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', namespaced: true } as const;
const rolesIn = (namespace: string) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`;
const roles = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  namespaced: false,
} as const;
const deployments = { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true } as const;
const own = 'holdfast-system';
const done = { kind: 'done' };

let place: Place;
let operator: AbortController;
let playing: Promise<void>;

beforeEach(async () => {
  place = await Place.start();
  operator = new AbortController();
  playing = place.playOperator(operator.signal);
});
afterEach(async () => {
  operator.abort();
  await playing;
  await place.close();
});

const results = (lines: readonly string[], result: string) => lines.filter((line) => line.includes(` ${result}`));

async function createNamespace(name: string, labels: Record<string, string> = {}): Promise<void> {
  unwrap(await place.admin.create(resources.namespaces, {}, { metadata: { name, labels } }));
}

async function labelsOf(name: string): Promise<Record<string, string>> {
  return unwrap(await place.admin.get<Namespace>(resources.namespaces, { name })).metadata?.labels ?? {};
}

const slices = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespaced: true } as const;
const policies = { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', namespaced: true } as const;

async function publishApiServer(address: string): Promise<void> {
  const metadata = { name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } };
  const slice = { metadata, addressType: 'IPv4', endpoints: [{ addresses: [address] }], ports: [] };
  unwrap(await place.admin.create(slices, { namespace: 'default' }, slice));
}

async function callersOf(): Promise<unknown> {
  const found = await place.admin.get<NetworkPolicy>(policies, { namespace: own, name: 'holdfast' });
  return unwrap(found).spec?.ingress?.[0]?.from;
}

describe('[I13] who may call the webhooks of an installation', () => {
  it('are the API servers as they publish themselves, unless their calls come from elsewhere: then all may', async () => {
    await publishApiServer('10.1.2.3');
    // Nothing answers here, as where a policy keeps API servers out.
    const { ended, lines } = await place.install();
    expect(ended).toEqual(done);
    expect(lines.join('\n')).toContain('note: calls of API servers do not come from 10.1.2.3/32');
    expect(await callersOf()).toBeUndefined();
  });

  it('are those who were named, and where no policy holds that is told', async () => {
    const values = { apiServerCidrs: ['10.9.0.0/24'] };
    expect((await place.install({ values })).lines.join('\n')).not.toContain('note:');
    expect(await callersOf()).toEqual([{ ipBlock: { cidr: '10.9.0.0/24' } }]);
    const exposed = await place.install({ values: { hostNetwork: true } });
    expect(exposed.lines.join('\n')).toContain('note: on the network of the nodes no NetworkPolicy holds');
  });
});

describe('an installation', () => {
  it('[I13] leaves the paths alone that the operator wrote', async () => {
    await place.install();
    const before = await place.writePaths('e'.repeat(64));
    const again = await place.install();
    expect(results(again.lines, 'configured')).toEqual([]);
    expect(await place.paths()).toEqual(before);
  });

  it('comes up, with the webhooks after the operator and the agents last; done twice it changes nothing; what changed is told', async () => {
    const first = await place.install();
    expect(first.ended).toEqual(done);
    expect(results(first.lines, 'created')).toHaveLength(first.lines.length);
    expect(first.lines.slice(-4).map((line) => line.split('.')[0])).toEqual([
      'deployment',
      'validatingwebhookconfiguration',
      'mutatingwebhookconfiguration',
      'daemonset',
    ]);
    expect(first.waits.join('\n')).toMatch(/replicas of the operator/);
    expect(first.waits.at(-1)).toMatch(/agent/);

    const second = await place.install();
    expect(second.ended).toEqual(done);
    expect(results(second.lines, 'unchanged')).toHaveLength(first.lines.length);

    const wish = { values: { image: 'holdfast:next' }, dryRun: true };
    const dry = await place.install(wish);
    expect(results(dry.lines, 'configured')).toEqual([
      'deployment.apps/holdfast configured (server dry run): spec.template.spec.containers[0].image',
      // The API server counts the templates of a DaemonSet in an annotation.
      expect.stringMatching(/^daemonset\S+-agent configured \(server dry run\): .*containers\[0\]\.image$/),
    ]);
    expect((await place.install({ dryRun: true })).lines.join()).not.toContain('configured');
    expect(results((await place.install({ values: wish.values })).lines, 'configured')).toEqual([
      'deployment.apps/holdfast configured',
      'daemonset.apps/holdfast-agent configured',
    ]);
  });

  it('is tried by the server in a dry run, as far as that can be told, and nothing comes of it', async () => {
    const { ended, lines } = await place.install({ dryRun: true });
    expect(ended).toEqual(done);
    expect(lines).toContain(`namespace/${own} created (server dry run)`);
    expect(lines.find((line) => line.startsWith('deployment'))).toMatch(
      /cannot be checked .*"holdfast-system" not found/,
    );
    expect(await place.names(resources.namespaces)).not.toContain(own);
    expect(await place.names(definitions)).toEqual([]);
  });

  it('without the operator stops before the webhooks, and says why', async () => {
    const { ended, lines } = await place.install({
      values: { nodeSelector: { pool: 'nowhere' } },
      giveUpAt: /^0 of 3 replicas of the operator are available; pod\/\S+: not scheduled/,
    });
    expect(ended).toMatchObject({ kind: 'late', message: '0 of 3 replicas of the operator are available' });
    expect(ended.kind === 'late' ? ended.reasons : []).toHaveLength(3);
    expect(ended.kind === 'late' ? ended.advice : '').toContain(`kubectl -n ${own} describe deployment holdfast`);
    expect(lines.at(-1)).toBe('deployment.apps/holdfast created');
    expect(await place.names(resources.validating)).toEqual([]);
  });

  it('that gets no certificates says so', async () => {
    operator.abort();
    await playing;
    const { ended } = await place.install({ giveUpAt: /no CA bundle yet/ });
    expect(ended).toMatchObject({ kind: 'late', message: expect.stringContaining('no CA bundle yet') });
  });

  it('stops when it is asked to', async () => {
    const stop = new AbortController();
    const pending = place.install({ signal: stop.signal });
    stop.abort();
    expect((await pending).ended).toEqual({ kind: 'stopped' });
    expect(await place.names(resources.namespaces)).not.toContain(own);
  });
});

describe('before anything is written', () => {
  it('all that the user may not do is told at once', async () => {
    const { ended, lines } = await place.install({ as: 'weak' });
    const missing = ended.kind === 'denied' ? ended.missing : [];
    expect(missing).toContain('get, create, patch namespaces');
    expect(missing).toContain(`get, create, patch deployments.apps in namespace ${own}`);
    expect(results(lines, 'created')).toEqual([]);
    expect(await place.names(resources.namespaces)).not.toContain(own);
    const removal = await place.uninstall({ as: 'weak' });
    expect(removal.ended).toMatchObject({
      kind: 'denied',
      missing: expect.arrayContaining(['list, delete validatingwebhookconfigurations.admissionregistration.k8s.io']),
    });
  });

  it('cert-manager is asked for where it is to make the certificates', async () => {
    const { ended } = await place.install({ values: { certificates: { source: 'cert-manager' } } });
    expect(ended).toMatchObject({
      kind: 'refused',
      message: 'this cluster has no issuer.cert-manager.io of version v1',
      advice: expect.stringContaining('Install cert-manager first'),
    });
    expect(await place.names(resources.namespaces)).not.toContain(own);
  });

  it('an installation in another namespace is found, and neither taken over nor removed', async () => {
    await place.install();
    const second = await place.install({ values: { namespace: 'other' } });
    const message = `Holdfast is installed in namespace ${own}, not in other`;
    expect(second.ended).toMatchObject({ kind: 'refused', message });
    expect((await place.uninstall({ namespace: 'other' })).ended).toMatchObject({ kind: 'refused', message });
    expect(await place.names(resources.validating)).toEqual(['holdfast']);
  });
});

describe('what is there already', () => {
  it("a definition of Kruise's is left as it is, by both", async () => {
    const [ours] = crdManifests;
    const annotations = { 'controller-gen.kubebuilder.io/version': 'v0.16.5' };
    const kruise = { ...ours, metadata: { ...ours?.metadata, annotations } };
    unwrap(await place.admin.create(definitions, {}, kruise));
    const { ended, lines } = await place.install({ crdsOnly: true });
    expect(ended).toEqual(done);
    expect(lines).toEqual([
      expect.stringMatching(/podunavailablebudgets\S+ left as it is: .*controller-gen v0\.16\.5/),
      expect.stringMatching(/disruptionledgers\S+ created$/),
    ]);
    const removal = await place.uninstall({ deleteUserData: true });
    expect(removal.ended).toEqual(done);
    expect(await place.names(definitions)).toEqual(['podunavailablebudgets.policy.kruise.io']);
  });

  it('what an earlier version brought is told, and kept', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'holdfast' };
    unwrap(await place.admin.create(roles, {}, { metadata: { name: 'holdfast-old', labels }, rules: [] }));
    const { lines } = await place.install();
    expect(lines.filter((line) => line.startsWith('note:'))).toEqual([
      expect.stringContaining('clusterrole.rbac.authorization.k8s.io/holdfast-old is labelled as a part of Holdfast'),
    ]);
    expect(await place.names(roles)).toContain('holdfast-old');
  });

  it('rights of the agents of an earlier version go when none of them is left, and no others', async () => {
    await createNamespace(own);
    const of = (name: string, labels: object) => ({ metadata: { name, labels }, rules: [] });
    const ours = { 'app.kubernetes.io/part-of': 'holdfast' };
    unwrap(await place.admin.create(localRoles, { namespace: own }, of('holdfast-agent', ours)));
    unwrap(await place.admin.create(localRoles, { namespace: own }, of('mine', {})));
    const { lines, waits } = await place.install();
    expect(lines).toContain('role.rbac.authorization.k8s.io/holdfast-agent deleted');
    expect(waits.length).toBeGreaterThan(0);
    const left = unwrap(await place.admin.document<{ items: { metadata: { name: string } }[] }>(rolesIn(own)));
    expect(left.items.map(({ metadata }) => metadata.name).toSorted()).toEqual(['holdfast', 'mine']);
  });

  it('says what is lost where agents are not told apart by their nodes', async () => {
    const agent = { ...defaultInstallValues.agent, bindToNode: false };
    const { lines } = await place.install({ values: { agent } });
    expect(lines.filter((line) => line.startsWith('note:'))).toEqual([
      expect.stringContaining('the token of one node can write the lease of any node'),
    ]);
  });

  it('a namespace that is being deleted is waited for by the user', async () => {
    await createNamespace(own);
    const finalizer = { metadata: { name: 'kept', finalizers: ['example.com/wait'] } };
    unwrap(await place.admin.create(configMaps, { namespace: own }, finalizer));
    unwrap(await place.admin.delete(resources.namespaces, { name: own }));
    const { ended } = await place.install();
    expect(ended).toMatchObject({ kind: 'failed', message: `namespace/${own} is being deleted` });
  });
});

describe('an operator that runs outside the cluster', () => {
  it('keeps an installation from beginning: its webhooks are called by a URL', async () => {
    const { webhook } = defaultInstallValues;
    const values = { ...defaultInstallValues, webhook: { ...webhook, url: 'https://10.0.0.1:9443' } };
    for (const body of webhookConfigurations(values, answeredPaths)) {
      const kind = body.kind === 'ValidatingWebhookConfiguration' ? resources.validating : resources.mutating;
      unwrap(await place.admin.create(kind, {}, body, { fieldManager: 'holdfast' }));
    }
    const before = await place.names(resources.namespaces);
    for (const dryRun of [false, true]) {
      const { ended, lines } = await place.install({ dryRun });
      expect(lines).toEqual([]);
      expect(ended).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining(
          'runs outside this cluster has registered its webhooks here (they call https://10.0.0.1:9443)',
        ),
        advice: expect.stringContaining('Nothing was written.'),
      });
    }
    expect(await place.names(resources.namespaces)).toEqual(before);
    expect(await place.names(definitions)).toEqual([]);
  });
});

describe('a removal', () => {
  it('takes the webhooks first, keeps what people wrote, and finds nothing the second time', async () => {
    await place.install();
    await createNamespace('shop', { 'holdfast.dev/guard': 'enabled', team: 'a' });
    await createNamespace('free', { 'holdfast.dev/guard': 'disabled' });
    const { ended, lines } = await place.uninstall();
    expect(ended).toEqual(done);
    expect(lines.slice(0, 4).map((line) => line.split('.')[0])).toEqual([
      'mutatingwebhookconfiguration',
      'validatingwebhookconfiguration',
      'deployment',
      'daemonset',
    ]);
    expect(lines).toContain('namespace/shop unlabelled (holdfast.dev/guard)');
    expect(results(lines, 'left as it is')).toHaveLength(2);
    expect(lines.at(-1)).toBe(`namespace/${own} deleted`);
    expect(await labelsOf('shop')).toEqual({ 'kubernetes.io/metadata.name': 'shop', team: 'a' });
    expect(await labelsOf('free')).toMatchObject({ 'holdfast.dev/guard': 'disabled' });
    expect(await place.names(definitions)).toHaveLength(2);
    expect(await place.names(resources.namespaces)).not.toContain(own);

    const again = await place.uninstall({ deleteUserData: true });
    expect(again.ended).toEqual(done);
    expect(results(again.lines, 'deleted')).toHaveLength(2);
    expect(await place.names(definitions)).toEqual([]);
    expect(await place.uninstall({ deleteUserData: true })).toEqual({ ended: done, lines: [], waits: [] });
  });

  it('[S3] gives the numbers of PodDisruptionBudgets back to Kubernetes', async () => {
    await place.install();
    await createNamespace('shop');
    const annotations = { 'holdfast.dev/disruptions-allowed': '1', 'holdfast.dev/budget-scope': 'PodGroup' };
    const pdb = { metadata: { name: 'llm', annotations }, spec: { minAvailable: 1, selector: {} } };
    unwrap(await place.admin.create(resources.pdbs, { namespace: 'shop' }, pdb));
    const { ended, lines } = await place.uninstall();
    expect(ended).toEqual(done);
    expect(lines).toContain(
      'note: 1 PodDisruptionBudget shows the number of pods again in ALLOWED DISRUPTIONS, as Kubernetes computes it',
    );
    const left = unwrap(await place.admin.get<PodDisruptionBudget>(resources.pdbs, { namespace: 'shop', name: 'llm' }));
    expect(left.metadata.annotations).toEqual({ 'holdfast.dev/budget-scope': 'PodGroup' });
  });

  it('that is a dry run says the same, and removes nothing', async () => {
    await place.install();
    await createNamespace('shop', { 'holdfast.dev/guard': 'enabled' });
    const dry = await place.uninstall({ dryRun: true, deleteUserData: true });
    expect(dry.ended).toEqual(done);
    expect(dry.waits).toEqual([]);
    expect(dry.lines).toContain('namespace/shop unlabelled (holdfast.dev/guard) (server dry run)');
    expect(dry.lines).toContain(`namespace/${own} deleted (server dry run)`);
    expect(results((await place.install()).lines, 'unchanged')).toHaveLength((await place.install()).lines.length);
    expect(await labelsOf('shop')).toMatchObject({ 'holdfast.dev/guard': 'enabled' });
    const real = await place.uninstall({ deleteUserData: true });
    expect(dry.lines.map((line) => line.replace(' (server dry run)', ''))).toEqual(real.lines);
  });

  it('takes what agents were allowed in namespaces of others, and the namespace of their leases', async () => {
    await createNamespace('shop');
    await place.install({ values: { agent: { ...defaultInstallValues.agent, execNamespaces: ['shop'] } } });
    const { ended, lines } = await place.uninstall();
    expect(ended).toEqual(done);
    expect(lines).toContain('rolebinding.rbac.authorization.k8s.io/holdfast-agent-exec deleted');
    expect(await place.names(resources.namespaces)).not.toContain('holdfast-agents');
    expect(await place.names(resources.namespaces)).toContain('shop');
  });

  it('works when things are half there', async () => {
    await place.install();
    unwrap(await place.admin.delete(deployments, { namespace: own, name: 'holdfast' }));
    unwrap(await place.admin.delete(roles, { name: 'holdfast' }));
    const { ended, lines } = await place.uninstall();
    expect(ended).toEqual(done);
    expect(lines).not.toContain('clusterrole.rbac.authorization.k8s.io/holdfast deleted');
    expect(await place.names(resources.namespaces)).not.toContain(own);
  });

  it("keeps a namespace with things of others in it, but nothing of the operator's", async () => {
    await place.install();
    unwrap(await place.admin.create(configMaps, { namespace: own }, { metadata: { name: 'mine' } }));
    const secret = { metadata: { name: 'holdfast-webhook-certificates' } };
    unwrap(await place.admin.create(resources.secrets, { namespace: own }, secret));
    const { ended, lines } = await place.uninstall();
    expect(ended).toEqual(done);
    expect(lines.at(-1)).toBe(`namespace/${own} left as it is: configmap/mine is in it, which is not Holdfast's`);
    expect(await place.names(resources.secrets)).toEqual([]);
    expect(await place.names(services)).not.toContain('holdfast');
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { made } from '../../../../test/support/cluster.ts';
import { type Answer, accessFrom, KubeHttp } from '../../../../test/support/kube-http.ts';
import { type Cluster, startCluster } from '../../../embedded-cluster/src/cluster.ts';
import { operatorUser, webhookPaths } from '../../src/api/installation-names.ts';
import { type Manifest, manifestsOf } from '../../src/install/manifests/manifests.ts';
import { defaultInstallValues, type InstallValues } from '../../src/install/values/values.ts';
import type { WebhookClock } from '../../src/operator/admission/deadline.ts';
import type { WebhookHandler } from '../../src/operator/admission/handler.ts';
import { createWebhookMetrics } from '../../src/operator/admission/wire/exchange.ts';
import { startWebhookServer, type WebhookServer } from '../../src/operator/admission/wire/server.ts';
import { barePaths } from '../../src/operator/certificates/caller-paths.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { defaultCertificatePolicy } from '../../src/trust/certificate-policy.ts';
import { createAuthority, issueLeaf, urlNames } from '../../src/trust/material.ts';

const material = { nowMs: Date.now(), policy: defaultCertificatePolicy, randomBytes };
const names = urlNames('https://127.0.0.1');
const authority = createAuthority(names, material);
const keyPair = issueLeaf(authority, names, material);

const clock: WebhookClock = {
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

const allPaths: ReadonlySet<string> = new Set(Object.values(webhookPaths));

const calls: string[] = [];

/** Allows everything, and notes what came. */
function noting(path: string): WebhookHandler {
  return {
    answer: ({ operation, resource, subResource, name, namespace }) => {
      calls.push(`${path} ${operation} ${resource}${subResource && `/${subResource}`} ${namespace}/${name}`);
      return Promise.resolve({ allowed: true });
    },
    inDoubt: () => ({ allowed: true }),
  };
}

let cluster: Cluster;
let http: KubeHttp;
let webhook: WebhookServer;
let values: InstallValues;

const collections: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  CustomResourceDefinition: 'customresourcedefinitions',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
  Service: 'services',
  Deployment: 'deployments',
  DaemonSet: 'daemonsets',
  PodDisruptionBudget: 'poddisruptionbudgets',
  NetworkPolicy: 'networkpolicies',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
};

/** Kinds that the embedded cluster does not serve. */
const unserved = new Set(['FlowSchema', 'PriorityLevelConfiguration', 'Issuer', 'Certificate']);

function apply(manifest: Manifest): Promise<Answer> {
  const { apiVersion = '', kind = '', metadata } = manifest;
  const namespace =
    metadata && 'namespace' in metadata && metadata.namespace ? `/namespaces/${metadata.namespace}` : '';
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = `${root}${namespace}/${collections[kind]}/${metadata?.name}?fieldManager=test&fieldValidation=Strict`;
  return http.request('PATCH', path, { contentType: 'application/apply-patch+yaml', body: manifest });
}

const pods = '/api/v1/namespaces/shop/pods';
const pod = (name: string) => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'web:1' }] },
});

beforeAll(async () => {
  webhook = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    keyPair,
    handlers: new Map(Object.values(webhookPaths).map((path) => [path, noting(path)])),
    callers: { paths: barePaths },
    clock,
    log: createLogger({ level: 'error', format: 'json', now: () => 0, write: () => undefined }),
    metrics: createWebhookMetrics(createMetrics()),
  });
  values = {
    ...defaultInstallValues,
    webhook: {
      ...defaultInstallValues.webhook,
      url: `https://127.0.0.1:${webhook.port}`,
      caBundle: authority.certificate,
    },
    certificates: { source: 'secret', secretName: 'given' },
  };
  cluster = await startCluster({ controllers: false, report: () => undefined });
  http = new KubeHttp(accessFrom(cluster.kubeconfig()));
});

afterAll(async () => {
  http?.close();
  await cluster?.close();
  await webhook?.close(0);
});

describe('on an API server', () => {
  it('every object is accepted, twice, under strict field validation', async () => {
    for (const wish of [
      defaultInstallValues,
      values,
      { ...defaultInstallValues, hostNetwork: true },
      defaultInstallValues,
    ]) {
      for (const manifest of manifestsOf(wish, allPaths).filter(({ kind }) => !unserved.has(kind ?? ''))) {
        const { code, text } = await apply(manifest);
        expect([manifest.kind, code < 300 ? 'accepted' : text]).toEqual([manifest.kind, 'accepted']);
      }
    }
  });

  const namespaceAccess = { namespace: 'shop' };
  const own = { namespace: 'holdfast-system' };
  it.each<readonly [allowed: boolean, verb: string, group: string, resource: string, more: object]>([
    [true, 'list', '', 'pods', {}],
    [true, 'delete', '', 'pods', namespaceAccess],
    [true, 'patch', '', 'namespaces', { name: 'shop' }],
    [true, 'create', '', 'events', namespaceAccess],
    [true, 'watch', 'policy', 'poddisruptionbudgets', {}],
    [true, 'patch', 'policy', 'poddisruptionbudgets', { ...namespaceAccess, subresource: 'status' }],
    [true, 'update', 'policy.kruise.io', 'podunavailablebudgets', { ...namespaceAccess, subresource: 'status' }],
    [true, 'update', 'holdfast.dev', 'disruptionledgers', namespaceAccess],
    [true, 'patch', 'apps', 'statefulsets', { ...namespaceAccess, subresource: 'status' }],
    [false, 'patch', 'apps', 'statefulsets', namespaceAccess],
    [true, 'get', 'example.com', 'widgets', { ...namespaceAccess, subresource: 'scale' }],
    [true, 'update', 'admissionregistration.k8s.io', 'validatingwebhookconfigurations', { name: 'holdfast' }],
    [true, 'update', 'coordination.k8s.io', 'leases', { ...own, name: 'holdfast-operator' }],
    [true, 'create', '', 'secrets', own],
    [true, 'watch', '', 'secrets', { ...own, name: 'holdfast-webhook-certificates' }],

    [false, '*', '*', '*', {}],
    [false, 'create', '', 'pods', namespaceAccess],
    [false, 'update', '', 'pods', namespaceAccess],
    [false, 'deletecollection', '', 'pods', namespaceAccess],
    [false, 'create', '', 'pods', { ...namespaceAccess, subresource: 'exec' }],
    [false, 'create', '', 'pods', { ...namespaceAccess, subresource: 'eviction' }],
    [false, 'delete', '', 'namespaces', { name: 'shop' }],
    [false, 'get', '', 'secrets', namespaceAccess],
    [false, 'list', '', 'secrets', {}],
    [false, 'get', '', 'secrets', { ...own, name: 'other' }],
    [false, 'get', '', 'configmaps', namespaceAccess],
    [false, 'create', '', 'serviceaccounts', { ...own, name: 'holdfast', subresource: 'token' }],
    [false, 'impersonate', '', 'users', {}],
    [false, 'patch', 'apps', 'deployments', namespaceAccess],
    [false, 'update', 'example.com', 'widgets', { ...namespaceAccess, subresource: 'scale' }],
    [false, 'update', 'policy', 'poddisruptionbudgets', namespaceAccess],
    [false, 'delete', 'policy.kruise.io', 'podunavailablebudgets', namespaceAccess],
    [false, 'update', 'admissionregistration.k8s.io', 'validatingwebhookconfigurations', { name: 'other' }],
    [false, 'create', 'admissionregistration.k8s.io', 'validatingwebhookconfigurations', {}],
    [false, 'delete', 'admissionregistration.k8s.io', 'validatingwebhookconfigurations', { name: 'holdfast' }],
    [false, 'update', 'coordination.k8s.io', 'leases', { namespace: 'kube-system', name: 'kube-scheduler' }],
    [false, 'escalate', 'rbac.authorization.k8s.io', 'clusterroles', {}],
    [false, 'create', 'rbac.authorization.k8s.io', 'clusterrolebindings', {}],
    [false, 'update', 'apiextensions.k8s.io', 'customresourcedefinitions', {}],
    [false, 'get', '', 'nodes', { subresource: 'proxy', name: 'n1' }],
  ])('the operator, allowed is %s: %s %s %s %j', async (allowed, verb, group, resource, more) => {
    const body = { spec: { resourceAttributes: { verb, group, resource, version: '*', ...more } } };
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:holdfast-system', 'system:authenticated'];
    const review = await made(
      http.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        body,
        as: { user: operatorUser('holdfast-system'), groups },
      }),
    );
    expect(review.status['allowed']).toBe(allowed);
  });

  it('only guarded namespaces ask, never our own, and only what may matter', async () => {
    for (const manifest of manifestsOf(values, allPaths).filter((one) => 'webhooks' in one))
      await made(apply(manifest));
    const guard = { 'holdfast.dev/guard': 'enabled' };
    for (const [name, labels] of [
      ['shop', guard],
      ['free', {}],
    ] as const) {
      await made(http.request('POST', '/api/v1/namespaces', { body: { metadata: { name, labels } } }));
    }
    await made(
      http.request('PATCH', '/api/v1/namespaces/holdfast-system', {
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: guard } },
      }),
    );
    for (const namespace of ['shop', 'free', 'holdfast-system']) {
      const at = `/api/v1/namespaces/${namespace}`;
      await made(http.request('POST', `${at}/serviceaccounts`, { body: { metadata: { name: 'default' } } }));
      await made(http.request('POST', `${at}/pods`, { body: pod('web-0') }));
    }
    calls.length = 0;
    for (const namespace of ['free', 'holdfast-system']) {
      const path = `/api/v1/namespaces/${namespace}/pods/web-0`;
      await made(http.request('POST', `${path}/eviction`, { body: eviction }));
      await made(http.request('DELETE', `${path}?gracePeriodSeconds=0`));
    }
    expect(calls).toEqual([]);
  });

  it('a probe is looked at in any namespace but ours, and pods without one are created without us', async () => {
    calls.length = 0;
    const annotations = { 'holdfast.dev/disruption-probe': '{}' };
    const probed = { ...pod('probed'), metadata: { name: 'probed', annotations } };
    for (const namespace of ['free', 'holdfast-system']) {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      await made(http.request('POST', path, { body: pod('plain') }));
      await made(http.request('POST', path, { body: probed }));
    }
    const template = { metadata: { labels: { app: 'web' }, annotations }, spec: pod('web').spec };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    await made(
      http.request('POST', '/apis/apps/v1/namespaces/free/deployments', { body: { metadata: { name: 'web' }, spec } }),
    );
    expect(calls).toEqual(['/probes CREATE pods free/probed', '/probes CREATE deployments free/web']);
  });

  it('in a guarded namespace each operation comes to its webhook', async () => {
    calls.length = 0;
    const patch = (body: object) =>
      made(http.request('PATCH', `${pods}/web-0`, { contentType: 'application/merge-patch+json', body }));
    await patch({ metadata: { annotations: { note: 'x' } } });
    expect(calls).toEqual([]);
    await patch({ metadata: { labels: { app: 'other' } } });
    expect(new Set(calls)).toEqual(new Set(['/pods UPDATE pods shop/web-0']));
    calls.length = 0;
    await made(http.request('POST', `${pods}/web-0/eviction`, { body: eviction }));
    expect(calls).toEqual(['/evictions CREATE pods/eviction shop/web-0', '/pods CREATE pods/eviction shop/web-0']);
    calls.length = 0;
    await made(http.request('DELETE', `${pods}/web-0?gracePeriodSeconds=0`));
    expect(calls).toEqual([]);
    await made(http.request('POST', pods, { body: pod('web-1') }));
    await made(http.request('DELETE', `${pods}/web-1`));
    expect(new Set(calls)).toEqual(new Set(['/pods DELETE pods shop/web-1']));
  });

  it('budgets are validated before their namespace is guarded; leases and configurations never come to us', async () => {
    calls.length = 0;
    await made(
      http.request('POST', '/apis/policy.kruise.io/v1beta1/namespaces/free/podunavailablebudgets', {
        body: {
          apiVersion: 'policy.kruise.io/v1beta1',
          kind: 'PodUnavailableBudget',
          metadata: { name: 'b' },
          spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
        },
      }),
    );
    expect(calls).toEqual(['/podunavailablebudgets CREATE podunavailablebudgets free/b']);
    calls.length = 0;
    await made(
      http.request('POST', '/apis/coordination.k8s.io/v1/namespaces/shop/leases', {
        body: { metadata: { name: 'l' }, spec: {} },
      }),
    );
    await made(http.request('POST', '/api/v1/namespaces/shop/configmaps', { body: { metadata: { name: 'c' } } }));
    expect(calls).toEqual([]);
  });
});

const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0' } };

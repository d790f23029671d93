import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { webhookPaths } from '../../src/api/installation-names.ts';
import { crdManifests, type Manifest, manifestsOf } from '../../src/install/manifests/manifests.ts';
import { networkPolicyOf } from '../../src/install/manifests/network.ts';
import { renderManifests } from '../../src/install/manifests/render.ts';
import { answeredPaths } from '../../src/install/manifests/webhooks.ts';
import { defaultInstallValues, type InstallValues } from '../../src/install/values/values.ts';

const allPaths: ReadonlySet<string> = new Set(Object.values(webhookPaths));

function find(kind: string, change: Partial<InstallValues> = {}): Manifest | undefined {
  return manifestsOf({ ...defaultInstallValues, ...change }, allPaths).find((manifest) => manifest.kind === kind);
}

function podSpecOf(change: Partial<InstallValues> = {}): unknown {
  const deployment = find('Deployment', change);
  return deployment?.kind === 'Deployment' ? deployment.spec?.template.spec : undefined;
}

describe('the manifests', () => {
  it('come in the order in which they can be applied', () => {
    expect(manifestsOf(defaultInstallValues, allPaths).map(({ kind }) => kind)).toEqual([
      'Namespace',
      'Namespace',
      'CustomResourceDefinition',
      'CustomResourceDefinition',
      'ServiceAccount',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'Role',
      'RoleBinding',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'ClusterRole',
      'ClusterRole',
      ...Array.from({ length: 4 }, () => ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']).flat(),
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      ...Array.from({ length: 2 }, () => ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']).flat(),
      'PriorityLevelConfiguration',
      'FlowSchema',
      'Service',
      'NetworkPolicy',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Deployment',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'DaemonSet',
    ]);
    expect(crdManifests).toHaveLength(2);
  });

  const named = (paths: readonly string[], change: Partial<InstallValues> = {}) =>
    manifestsOf({ ...defaultInstallValues, ...change }, new Set(paths)).flatMap((manifest) =>
      'webhooks' in manifest ? (manifest.webhooks ?? []).map(({ name }) => name) : [],
    );

  it.each([
    ['the Service', {}],
    ['a URL', { webhook: { ...defaultInstallValues.webhook, url: 'https://10.0.0.7:9443' } }],
  ])('called by %s, have no webhook without a handler, which would refuse everything', (_, change) => {
    expect(named([webhookPaths.budgets, webhookPaths.statefulSets], change)).toEqual([
      'budgets.holdfast.dev',
      'budgets.observe.holdfast.dev',
      'statefulsets.holdfast.dev',
      'statefulsets.observe.holdfast.dev',
    ]);
    expect(named([], change)).toEqual([]);
  });

  it('have webhooks for what the operator answers now, and no configuration without webhooks', () => {
    const kinds = manifestsOf(defaultInstallValues).map(({ kind }) => kind);
    expect(kinds.at(-2)).toBe('MutatingWebhookConfiguration');
    expect(named([...answeredPaths])).toEqual([
      'eviction.holdfast.dev',
      'deletion.holdfast.dev',
      'update.holdfast.dev',
      'announcement.holdfast.dev',
      'budgets.holdfast.dev',
      'eviction.observe.holdfast.dev',
      'deletion.observe.holdfast.dev',
      'update.observe.holdfast.dev',
      'announcement.observe.holdfast.dev',
      'budgets.observe.holdfast.dev',
      'probes.holdfast.dev',
      'statefulsets.holdfast.dev',
      'statefulsets.observe.holdfast.dev',
      'pin.holdfast.dev',
      'projection.holdfast.dev',
    ]);
  });

  it('switch features off by an argument', () => {
    const args = expect.arrayContaining(['--feature-gates=EnforcedRollingUpdateInStatefulSet=false']);
    expect(find('Deployment', { featureGates: { EnforcedRollingUpdateInStatefulSet: false } })).toMatchObject({
      spec: { template: { spec: { containers: [{ args }] } } },
    });
  });

  it('as a file say the same', () => {
    const objects = manifestsOf(defaultInstallValues, allPaths);
    const text = renderManifests(objects);
    expect(parseAllDocuments(text).map((document) => document.toJS() as unknown)).toEqual(objects);
    expect(text).not.toMatch(/[&*]a\d/);
  });

  it('put everything into the chosen namespace, which is never guarded', () => {
    const objects = manifestsOf({ ...defaultInstallValues, namespace: 'elsewhere' }, allPaths);
    expect(JSON.stringify(objects)).not.toContain('holdfast-system');
    expect(find('Namespace', { namespace: 'elsewhere' })).toMatchObject({
      metadata: {
        name: 'elsewhere',
        labels: { 'holdfast.dev/guard': 'disabled', 'pod-security.kubernetes.io/enforce': 'restricted' },
      },
    });
  });

  it('run the operator with as few rights on its node as there are', () => {
    expect(podSpecOf()).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          args: [
            'operator',
            '--takeover=on',
            '--projection=on',
            '--log-level=info',
            '--webhook-port=9443',
            '--health-port=8080',
          ],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    expect(podSpecOf()).not.toHaveProperty('volumes');
    expect(podSpecOf()).not.toHaveProperty('hostNetwork');
  });

  it('keep a replica while another is replaced', () => {
    expect(find('Deployment')).toMatchObject({
      spec: { replicas: 3, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
    });
    expect(find('Deployment', { replicas: 2, spread: 'preferred' })).toMatchObject({
      spec: { replicas: 2, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    });
    expect(find('PodDisruptionBudget')).toMatchObject({
      spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
  });

  it('never put two replicas on one node, unless the values say that there are too few, and spread them over zones', () => {
    const term = {
      topologyKey: 'kubernetes.io/hostname',
      labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'operator' } },
    };
    const zones = [{ topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' }];
    expect(podSpecOf()).toMatchObject({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: zones,
    });
    expect(podSpecOf({ spread: 'preferred' })).toMatchObject({
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
      },
      topologySpreadConstraints: zones,
    });
  });

  it('let agents reach pods, API servers and name servers, and never what only nodes may ask', () => {
    const policy = (agent: Partial<InstallValues['agent']> = {}) =>
      manifestsOf({ ...defaultInstallValues, agent: { ...defaultInstallValues.agent, ...agent } }).find(
        (one) => one.kind === 'NetworkPolicy' && one.metadata?.name === 'holdfast-agent',
      );
    const outside = [
      { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
      { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
    ];
    expect(policy()).toMatchObject({
      spec: {
        policyTypes: ['Ingress', 'Egress'],
        egress: [
          { to: [{ namespaceSelector: {} }] },
          { to: outside, ports: [{ port: 443 }, { port: 6443 }] },
          { to: outside, ports: [{ port: 53 }, { port: 53 }] },
        ],
      },
    });
    expect(policy({ nodeCidrs: ['10.0.0.0/16'] })).toMatchObject({
      spec: { egress: [{ to: [{ namespaceSelector: {} }, { ipBlock: { cidr: '10.0.0.0/16' } }] }, {}, {}] },
    });
    expect(policy({ allowProbeHosts: ['db.example'] })).toMatchObject({
      spec: { egress: [{ to: [{ namespaceSelector: {} }, ...outside] }, {}, {}] },
    });
  });

  it('on the network of nodes make room for ports, and say what that takes', () => {
    const change = { hostNetwork: true };
    expect(podSpecOf(change)).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
    expect(find('Deployment', change)).toMatchObject({
      spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    });
    expect(find('NetworkPolicy', change)).toMatchObject({ metadata: { name: 'holdfast-agent' } });
    expect(find('Namespace', change)).toMatchObject({
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    });
  });

  it('[I13] let the webhooks be called from the addresses of API servers, and metrics be read where monitoring is', () => {
    const policy = (change: Partial<InstallValues>) =>
      networkPolicyOf({ ...defaultInstallValues, ...change })?.spec?.ingress;
    const monitors = (name: string) => ({
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } }],
      ports: [{ protocol: 'TCP', port: 8080 }],
    });
    const webhook = { ports: [{ protocol: 'TCP', port: 9443 }] };
    expect(policy({})).toEqual([webhook, monitors('monitoring')]);
    expect(policy({ apiServerCidrs: ['10.0.0.7/32', 'fd00::7/128'], monitoringNamespaces: ['eyes'] })).toEqual([
      { from: [{ ipBlock: { cidr: '10.0.0.7/32' } }, { ipBlock: { cidr: 'fd00::7/128' } }], ...webhook },
      monitors('eyes'),
    ]);
    expect(policy({ monitoringNamespaces: [] })).toEqual([webhook]);
    expect(policy({ hostNetwork: true })).toBeUndefined();
  });

  it('[I13] make API servers show certificates and tokens where that is wished', () => {
    const { webhook } = defaultInstallValues;
    const clientCertificates = { secretName: 'api-server-ca', names: ['kube-apiserver', 'other'] };
    const change = { webhook: { ...webhook, clientCertificates, bearer: ['system:serviceaccount:a:b'] } };
    const mountPath = '/etc/holdfast/client-authority';
    expect(podSpecOf(change)).toMatchObject({
      containers: [
        {
          args: expect.arrayContaining([
            `--client-ca-file=${mountPath}/ca.crt`,
            '--client-names=kube-apiserver,other',
            '--bearer=system:serviceaccount:a:b',
          ]),
          volumeMounts: [{ name: 'client-authority', mountPath, readOnly: true }],
        },
      ],
      volumes: [{ name: 'client-authority', secret: { secretName: 'api-server-ca' } }],
    });
  });

  it('give our calls a priority level of their own, before those of other service accounts', () => {
    expect(find('PriorityLevelConfiguration')).toMatchObject({
      metadata: { name: 'holdfast' },
      spec: { type: 'Limited', limited: { lendablePercent: 0 } },
    });
    expect(find('FlowSchema')).toMatchObject({
      spec: {
        priorityLevelConfiguration: { name: 'holdfast' },
        matchingPrecedence: 500,
        rules: [{ subjects: [{ serviceAccount: { name: 'holdfast', namespace: 'holdfast-system' } }] }],
      },
    });
  });

  it('call webhooks by the Service, or by a URL', () => {
    const { webhook } = defaultInstallValues;
    expect(find('MutatingWebhookConfiguration')).toMatchObject({
      webhooks: [
        {
          clientConfig: {
            service: { name: 'holdfast', namespace: 'holdfast-system', path: '/statefulsets', port: 443 },
          },
        },
        { clientConfig: { service: { name: 'holdfast', path: '/statefulsets' } } },
        { clientConfig: { service: { name: 'holdfast', path: '/evictions' } } },
        { clientConfig: { service: { name: 'holdfast', path: '/poddisruptionbudgets' } } },
      ],
    });
    const byUrl = { webhook: { ...webhook, url: 'https://10.0.0.7:9443/' } };
    expect(find('MutatingWebhookConfiguration', byUrl)).toMatchObject({
      webhooks: [
        { clientConfig: { url: 'https://10.0.0.7:9443/statefulsets' } },
        { clientConfig: { url: 'https://10.0.0.7:9443/statefulsets' } },
        { clientConfig: { url: 'https://10.0.0.7:9443/evictions' } },
        { clientConfig: { url: 'https://10.0.0.7:9443/poddisruptionbudgets' } },
      ],
    });
  });

  it('fail closed in guarded namespaces only', () => {
    const configuration = find('ValidatingWebhookConfiguration');
    const webhooks = configuration?.kind === 'ValidatingWebhookConfiguration' ? configuration.webhooks : [];
    const exceptOurs = {
      key: 'kubernetes.io/metadata.name',
      operator: 'NotIn',
      values: ['kube-system', 'holdfast-system'],
    };
    const guarded = { key: 'holdfast.dev/guard', operator: 'In', values: ['enabled'] };
    const observed = { ...guarded, values: ['observe'] };
    const notObserved = { key: 'holdfast.dev/guard', operator: 'NotIn', values: ['observe'] };
    expect(webhooks?.map(({ name, namespaceSelector }) => [name, namespaceSelector?.matchExpressions])).toEqual([
      ['eviction.holdfast.dev', [guarded, exceptOurs]],
      ['deletion.holdfast.dev', [guarded, exceptOurs]],
      ['update.holdfast.dev', [guarded, exceptOurs]],
      ['announcement.holdfast.dev', [guarded, exceptOurs]],
      ['budgets.holdfast.dev', [notObserved, exceptOurs]],
      ['eviction.observe.holdfast.dev', [observed, exceptOurs]],
      ['deletion.observe.holdfast.dev', [observed, exceptOurs]],
      ['update.observe.holdfast.dev', [observed, exceptOurs]],
      ['announcement.observe.holdfast.dev', [observed, exceptOurs]],
      ['budgets.observe.holdfast.dev', [observed, exceptOurs]],
      ['probes.holdfast.dev', [exceptOurs]],
    ]);
    for (const webhook of webhooks?.slice(0, 5) ?? []) {
      expect(webhook).toMatchObject({ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 });
      expect(webhook).not.toHaveProperty('objectSelector');
    }
  });

  it('[E2] let everything pass where namespaces are observed, and do not make it wait', () => {
    const all = manifestsOf(defaultInstallValues).flatMap((one) => ('webhooks' in one ? (one.webhooks ?? []) : []));
    const observing = all.filter(({ name }) => name.endsWith('.observe.holdfast.dev'));
    expect(observing).toHaveLength(6);
    for (const webhook of observing) expect(webhook).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 5 });
  });

  it('[E1] [E2] of an installation that observes fail open everywhere, change nothing, and give no right to delete pods', () => {
    const objects = manifestsOf({ ...defaultInstallValues, mode: 'observe' });
    const all = objects.flatMap((one) => ('webhooks' in one ? (one.webhooks ?? []) : []));
    expect(all.map(({ name }) => name)).toEqual([
      'eviction.observe.holdfast.dev',
      'deletion.observe.holdfast.dev',
      'update.observe.holdfast.dev',
      'announcement.observe.holdfast.dev',
      'budgets.observe.holdfast.dev',
      'probes.holdfast.dev',
      'statefulsets.observe.holdfast.dev',
    ]);
    for (const webhook of all) expect(webhook.failurePolicy).toBe('Ignore');
    const guarded = { key: 'holdfast.dev/guard', operator: 'In', values: ['enabled', 'observe'] };
    expect(all[0]?.namespaceSelector?.matchExpressions?.[0]).toEqual(guarded);
    const rules = objects.flatMap((one) => ('rules' in one ? (one.rules ?? []) : []));
    expect(rules.filter(({ resources, verbs }) => resources?.includes('pods') && verbs.includes('delete'))).toEqual([]);
    expect(JSON.stringify(objects)).toContain('--mode=observe');
    expect(objects.map(({ kind }) => kind)).not.toContain('MutatingAdmissionPolicy');
  });

  it('never keep a pod from being created while the operator is away', () => {
    const configuration = find('ValidatingWebhookConfiguration');
    const webhooks = configuration?.kind === 'ValidatingWebhookConfiguration' ? configuration.webhooks : [];
    const asked = webhooks?.filter(({ rules }) =>
      (rules as { resources: string[]; operations: string[] }[] | undefined)?.some(
        ({ resources, operations }) => resources.includes('pods') && operations.includes('CREATE'),
      ),
    );
    expect(asked?.map(({ name }) => name)).toEqual(['probes.holdfast.dev']);
    expect(asked?.[0]).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 2 });
  });

  it('run an agent on every node, whatever its taints, with as few rights there as there are', () => {
    expect(find('DaemonSet')).toMatchObject({
      metadata: { name: 'holdfast-agent', namespace: 'holdfast-system' },
      spec: {
        template: {
          spec: {
            serviceAccountName: 'holdfast-agent',
            priorityClassName: 'system-node-critical',
            tolerations: [{ operator: 'Exists' }],
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                args: ['agent', '--lease-duration=40', '--max-probes=50', '--log-level=info', '--health-port=8080'],
                env: [{ name: 'NODE_NAME' }, { name: 'POD_NAME' }],
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(find('DaemonSet'))).not.toContain('host');
  });

  it('have nothing of agents where none are wished', () => {
    const agent = { ...defaultInstallValues.agent, enabled: false };
    expect(JSON.stringify(manifestsOf({ ...defaultInstallValues, agent }, allPaths))).not.toMatch(/holdfast-agent\b/);
  });

  it('leave certificates to cert-manager where that is wished', () => {
    const change = { certificates: { source: 'cert-manager' } } as const;
    expect(find('Certificate', change)).toMatchObject({
      spec: {
        secretName: 'holdfast-webhook-certificates',
        dnsNames: expect.arrayContaining(['holdfast.holdfast-system.svc']),
      },
    });
    const annotations = { 'cert-manager.io/inject-ca-from': 'holdfast-system/holdfast' };
    expect(find('ValidatingWebhookConfiguration', change)).toMatchObject({ metadata: { annotations } });
    expect(podSpecOf(change)).toMatchObject({
      volumes: [{ secret: { secretName: 'holdfast-webhook-certificates' } }],
      containers: [{ args: expect.arrayContaining(['--certificates=/etc/holdfast/certificates']) }],
    });
  });
});

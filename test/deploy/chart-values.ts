import { type Fields, isObject } from '../../packages/base/src/json.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMIIB"%s\\\n-----END CERTIFICATE-----\n';

/** For each value of the chart, some of which an installation must be able to have each. */
export const candidates: Readonly<Record<string, readonly unknown[]>> = {
  image: ['registry.example:5000/team/holdfast:0.1.0', 'holdfast@sha256:0123456789abcdef'],
  imagePullSecrets: [['one'], ['one', 'two.three'], []],
  replicas: [2, 5, 20],
  spread: ['required', 'preferred'],
  'resources.requests': [{ cpu: '2' }, { 'example.com/device': '1', cpu: '250m' }],
  'resources.limits': [{ cpu: '1.5' }, {}],
  mode: ['enforce', 'observe'],
  takeover: ['on', 'off', true, false],
  projection: ['on', 'off', true, false],
  'webhook.timeoutSeconds': [2, 30],
  'webhook.failurePolicy': ['Fail', 'Ignore'],
  'webhook.url': [
    'https://hooks.example:9443',
    'https://hooks.example/',
    'https://10.0.0.7',
    'https://10.0.0.7:9443/',
    'https://[2001:db8::7]:9443',
  ],
  'webhook.clientCertificates': [
    { secretName: 'api-server-ca', names: ['api-server'] },
    { secretName: 'ca', names: ['a"b', "c'\\d%s", 'e:{{f}}'] },
  ],
  'webhook.bearer': [['system:serviceaccount:kube-system:hooks'], ['a', 'b%d']],
  certificates: [
    { source: 'own' },
    { source: 'cert-manager' },
    { source: 'secret', secretName: 'my.certificates', caBundle: pem },
  ],
  'agent.enabled': [true, false],
  'agent.resources.requests': [{ memory: '64Mi' }],
  'agent.resources.limits': [{ cpu: '500m' }],
  'agent.leaseSeconds': [2, 3_600],
  'agent.execNamespaces': [['database'], ['database', '123'], []],
  'agent.bindToNode': [true, false],
  'agent.allowProbeHosts': [['health.example'], ['10.1.2.3', 'fe80::1'], []],
  'agent.nodeCidrs': [['10.0.0.0/16'], ['10.0.0.0/16', 'fd00::/8'], []],
  'agent.maxProbes': [1, 1_000],
  'agent.nodeSelector': [{ pool: 'on' }, { 'kubernetes.io/os': 'other', disk: '1' }],
  featureGates: [{}, { EnforcedRollingUpdateInStatefulSet: true }, { EnforcedRollingUpdateInStatefulSet: false }],
  logLevel: ['debug', 'info', 'warn', 'error'],
  hostNetwork: [true, false],
  nodeSelector: [{ 'example.com/pool': 'true' }, {}],
  priorityClassName: ['my-class', '123'],
  apiServerPorts: [[6443], [443, 8443, 65_535], []],
  apiServerCidrs: [['10.0.0.7/32'], ['10.0.0.7/32', '2001:db8::7/128'], []],
  monitoringNamespaces: [['metrics'], ['a', 'b'], []],
  ownerKinds: [
    [{ group: 'example.com', resource: 'machines' }],
    [
      { group: 'a.example', resource: 'ones' },
      { group: 'b.example', resource: 'twos' },
    ],
    [],
  ],
};

export const namespaces: readonly string[] = ['holdfast-system', 'guard', '1234'];

/** What a person writes: only some of the values. */
export function chosenFrom(pick: (path: string, from: readonly unknown[]) => unknown): Fields {
  const values: Record<string, unknown> = {};
  for (const [path, from] of Object.entries(candidates)) {
    const value = pick(path, from);
    if (value !== undefined) put(values, path, value);
  }
  return values;
}

function put(values: Record<string, unknown>, path: string, value: unknown): void {
  if (path === 'certificates' && isObject(value)) {
    const { caBundle, ...certificates } = value;
    values['certificates'] = certificates;
    if (caBundle !== undefined) put(values, 'webhook.caBundle', caBundle);
    return;
  }
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) values[first] = value;
  else {
    // Safe: paths of candidates begin with maps alone.
    const part = (values[first] ?? {}) as Record<string, unknown>;
    put(part, rest.join('.'), value);
    values[first] = part;
  }
}

/** As Helm merges what a person wrote into the defaults of a chart. */
export function merged(defaults: Fields, given: Fields): Fields {
  const all = { ...defaults, ...given };
  return Object.fromEntries(
    Object.entries(all).map(([key, value]) => {
      const before = defaults[key];
      return [key, isObject(before) && isObject(value) ? merged(before, value) : value];
    }),
  );
}

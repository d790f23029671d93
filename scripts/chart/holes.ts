import { defaultFeatureGates } from '../../packages/holdfast/src/install/values/feature-gates.ts';
import { defaultInstallValues, type InstallValues } from '../../packages/holdfast/src/install/values/values.ts';

/**
 * The chart's templates are derived from `manifestsOf`: it is called with marks in the place of values, and where a mark comes out, the template
 * has an expression. A mark is a text or number that cannot come from anywhere else.
 */
export interface Hole {
  readonly mark: string;
  /** Of Go's templates. `$item`: the item of the list that is gone through. */
  readonly expression: string;
  /** `plain`: letters, digits and `-`, which need no quotes inside of a text. `number`: stays a number. */
  readonly kind: 'plain' | 'number' | 'text';
  /** The list that is gone through, for a mark of an item: an object or item with this mark is there once for each. */
  readonly list?: string;
}

/** One way in which values can be, for which the manifests differ in more than a text. */
export interface Variant {
  /** Of Go's templates: whether it is this one. */
  readonly when: string;
  readonly set: (values: InstallValues) => InstallValues;
}

const value = (path: string) => `$.Values.${path}`;
const numbers = { replicas: 987_654_001, timeout: 987_654_002, lease: 987_654_003, probes: 987_654_004 };
const portMarks = [61_001, 61_002] as const;
const items = (name: string): readonly [string, string] => [`zz-${name}-0-zz`, `zz-${name}-1-zz`];
const mapMark = (path: string) => ({ [`zz-map/${path}`]: 'zz' });

const lists = {
  imagePullSecrets: items('pull'),
  'webhook.clientCertificates.names': items('names'),
  'webhook.bearer': items('bearer'),
  'agent.execNamespaces': items('exec'),
  'agent.allowProbeHosts': items('hosts'),
  'agent.nodeCidrs': items('nodecidrs'),
  apiServerCidrs: items('cidrs'),
  monitoringNamespaces: items('monitoring'),
} as const;
const ownerMarks = items('owner');
const authority = 'zz-authority-zz';
const urls = { name: 'https://zz-host-zz:1', v4: 'https://192.0.2.254:1', v6: 'https://[2001:db8::fe]:1' };
const url = value('webhook.url');

/** Values that are full of marks. */
export const markedValues: InstallValues = {
  ...defaultInstallValues,
  namespace: 'zz-namespace-zz',
  image: 'zz-image-zz',
  replicas: numbers.replicas,
  resources: { requests: mapMark('resources.requests'), limits: mapMark('resources.limits') },
  webhook: {
    timeoutSeconds: numbers.timeout,
    // Safe: the manifests pass it on as text.
    failurePolicy: 'zz-failure-zz' as 'Fail',
    registeredBy: 'operator',
  },
  agent: {
    ...defaultInstallValues.agent,
    resources: { requests: mapMark('agent.resources.requests'), limits: mapMark('agent.resources.limits') },
    leaseSeconds: numbers.lease,
    maxProbes: numbers.probes,
    nodeSelector: mapMark('agent.nodeSelector'),
  },
  logLevel: 'zz-level-zz' as 'info',
  nodeSelector: mapMark('nodeSelector'),
  priorityClassName: 'zz-priority-zz',
};

/** `zz-map/PATH` is the key of a map that stands for all keys of that value. */
export function markedMap(key: string): string | undefined {
  return key.startsWith('zz-map/') ? value(key.slice('zz-map/'.length)) : undefined;
}

const number = (mark: number, path: string): Hole => ({
  mark: String(mark),
  expression: `int ${path}`,
  kind: 'number',
});
const text = (mark: string, expression: string): Hole => ({ mark, expression, kind: 'text' });

export const holes: readonly Hole[] = [
  { mark: 'zz-namespace-zz', expression: '$.Release.Namespace', kind: 'plain' },
  number(numbers.replicas, value('replicas')),
  number(numbers.timeout, value('webhook.timeoutSeconds')),
  number(numbers.lease, value('agent.leaseSeconds')),
  number(numbers.probes, value('agent.maxProbes')),
  text('zz-image-zz', value('image')),
  text('zz-failure-zz', value('webhook.failurePolicy')),
  text('zz-level-zz', value('logLevel')),
  text('zz-priority-zz', value('priorityClassName')),
  text('zz-secret-zz', value('certificates.secretName')),
  text('zz-clients-zz', value('webhook.clientCertificates.secretName')),
  text(Buffer.from(authority).toString('base64'), `b64enc (toString ${value('webhook.caBundle')})`),
  ...Object.values(urls).map((mark) => text(mark, url)),
  text('zz-host-zz', `regexReplaceAll "^https://([^:/]+).*$" ${url} "\${1}"`),
  text('192.0.2.254', `regexReplaceAll "^https://([^:/]+).*$" ${url} "\${1}"`),
  text('2001:db8::fe', `regexReplaceAll "^https://\\\\[([^]]+)\\\\].*$" ${url} "\${1}"`),
  ...Object.entries(lists).map(([path, marks]) => text(marks.join(','), `join "," ${value(path)}`)),
  ...Object.entries(lists).map(([path, [first]]) => ({ ...text(first, '$item'), list: value(path) })),
  { ...number(portMarks[0], '$item'), list: value('apiServerPorts') },
  { ...text(`${ownerMarks[0]}.group`, '$item.group'), list: value('ownerKinds') },
  { ...text(`${ownerMarks[0]}-resource`, '$item.resource'), list: value('ownerKinds') },
];

/** The second item of a list shows that there is one for each; the first stands for all. */
export const secondItems: readonly string[] = [
  ...Object.values(lists).map(([, second]) => second),
  String(portMarks[1]),
  ownerMarks[1],
];

type Change = (values: InstallValues) => Partial<InstallValues>;

function variant(when: string, change: Change = () => ({})): Variant {
  return { when, set: (values) => ({ ...values, ...change(values) }) };
}

const on = (path: string) => `has (toString ${value(path)}) (list "on" "true")`;
const either = (when: string, yes: Change, no: Change): readonly Variant[] => [
  variant(when, yes),
  variant(`not (${when})`, no),
];
const flag = (path: string, change: (isOn: boolean) => Change) => either(value(path), change(true), change(false));
const webhook = (part: Partial<InstallValues['webhook']>): Change => {
  return (values) => ({ webhook: { ...values.webhook, ...part } });
};
const agent = (part: Partial<InstallValues['agent']>): Change => {
  return (values) => ({ agent: { ...values.agent, ...part } });
};
const filled = (path: string, change: (isFilled: boolean) => Change) =>
  either(value(path), change(true), change(false));
const noteIf = <T>(isFilled: boolean, marks: readonly T[]): readonly T[] => (isFilled ? marks : []);

function gateVariants(gate: string): readonly Variant[] {
  const at = value(`featureGates.${gate}`);
  const set = (isOn: boolean): Change => {
    return ({ featureGates }) => ({ featureGates: { ...featureGates, [gate]: isOn } });
  };
  const is = (word: string) => `eq (toString ${at}) "${word}"`;
  return [
    variant(is('true'), set(true)),
    variant(is('false'), set(false)),
    variant(`not (hasKey ${value('featureGates')} "${gate}")`),
  ];
}

const owners = ownerMarks.map((mark) => ({ group: `${mark}.group`, resource: `${mark}-resource` }));
const isV4 = `regexMatch "^https://[0-9.]+(:[0-9]+)?/?$" (toString ${url})`;
const isV6 = `contains "[" (toString ${url})`;
const source = (name: string) => `eq ${value('certificates.source')} "${name}"`;

/** Everything that manifests differ by, other than in a text. */
export const dimensions: readonly (readonly Variant[])[] = [
  flag('agent.enabled', (enabled) => agent({ enabled })),
  either(
    `eq ${value('mode')} "enforce"`,
    () => ({ mode: 'enforce' }),
    () => ({ mode: 'observe' }),
  ),
  either(
    on('takeover'),
    () => ({ takeover: 'on' }),
    () => ({ takeover: 'off' }),
  ),
  either(
    on('projection'),
    () => ({ projection: 'on' }),
    () => ({ projection: 'off' }),
  ),
  either(
    `eq ${value('spread')} "required"`,
    () => ({ spread: 'required' }),
    () => ({ spread: 'preferred' }),
  ),
  [
    variant(source('own'), () => ({ certificates: { source: 'own' } })),
    variant(source('cert-manager'), () => ({ certificates: { source: 'cert-manager' } })),
    variant(source('secret'), (values) => ({
      certificates: { source: 'secret', secretName: 'zz-secret-zz' },
      webhook: { ...values.webhook, caBundle: authority },
    })),
  ],
  ...Object.keys(defaultFeatureGates).map(gateVariants),
  [
    variant(`not ${url}`),
    variant(`and ${url} (not (${isV4})) (not (${isV6}))`, webhook({ url: urls.name })),
    variant(isV4, webhook({ url: urls.v4 })),
    variant(isV6, webhook({ url: urls.v6 })),
  ],
  filled('webhook.clientCertificates', (isFilled) =>
    isFilled
      ? webhook({
          clientCertificates: { secretName: 'zz-clients-zz', names: lists['webhook.clientCertificates.names'] },
        })
      : webhook({}),
  ),
  filled('webhook.bearer', (isFilled) => (isFilled ? webhook({ bearer: lists['webhook.bearer'] }) : webhook({}))),
  flag('hostNetwork', (hostNetwork) => () => ({ hostNetwork })),
  flag('agent.bindToNode', (bindToNode) => agent({ bindToNode })),
  filled('imagePullSecrets', (is) => () => ({ imagePullSecrets: noteIf(is, lists.imagePullSecrets) })),
  filled('agent.execNamespaces', (is) => agent({ execNamespaces: noteIf(is, lists['agent.execNamespaces']) })),
  filled('agent.allowProbeHosts', (is) => agent({ allowProbeHosts: noteIf(is, lists['agent.allowProbeHosts']) })),
  filled('agent.nodeCidrs', (is) => agent({ nodeCidrs: noteIf(is, lists['agent.nodeCidrs']) })),
  filled('apiServerPorts', (is) => () => ({ apiServerPorts: noteIf(is, portMarks) })),
  filled('apiServerCidrs', (is) => () => ({ apiServerCidrs: noteIf(is, lists.apiServerCidrs) })),
  filled('monitoringNamespaces', (is) => () => ({ monitoringNamespaces: noteIf(is, lists.monitoringNamespaces) })),
  filled('ownerKinds', (is) => () => ({ ownerKinds: noteIf(is, owners) })),
];

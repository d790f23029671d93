import {
  type FieldError,
  failed,
  forbidden,
  invalid,
  type Parsed,
  parsed,
  required,
} from '@holdfast/base/field-errors';
import { type Fields, isObject, isUnset } from '@holdfast/base/json';
import { agentsNamespace, installationModes } from '../../api/installation-names.ts';
import { defaultFeatureGates } from './feature-gates.ts';
import {
  callerName,
  choice,
  cidr,
  dnsLabel,
  flag,
  hostName,
  httpsUrl,
  image,
  integerIn,
  labels,
  listReader,
  ownerKind,
  pem,
  quantities,
  type Reader,
  reader,
  replaced,
  subdomain,
} from './value-readers.ts';
import {
  certificateSources,
  defaultInstallValues as defaults,
  failurePolicies,
  type InstallValues,
  logLevels,
  projectionModes,
  registrars,
  spreads,
  takeoverModes,
  takeoverProblem,
} from './values.ts';

export type Readers = { readonly [field: string]: Reader | Readers };

/** API servers take 1 to 30 seconds; in less than two there is no time for an answer that needs a write. */
const timeout = integerIn(2, 30);
const maxPort = 65_535;

const takeoverMode = reader({ enum: takeoverModes }, (value, field) => {
  const problem = takeoverProblem(value);
  return problem === undefined ? [] : [invalid(field, value, problem)];
});

/** Of every value: what may be written. */
export const valueReaders: Readers = {
  namespace: dnsLabel,
  image,
  imagePullSecrets: listReader(subdomain),
  replicas: integerIn(1, 20),
  spread: choice(spreads),
  resources: { requests: quantities, limits: quantities },
  mode: choice(installationModes),
  takeover: takeoverMode,
  projection: choice(projectionModes),
  webhook: {
    timeoutSeconds: timeout,
    failurePolicy: choice(failurePolicies),
    registeredBy: choice(registrars),
    url: httpsUrl,
    caBundle: pem,
    clientCertificates: { secretName: subdomain, names: listReader(callerName) },
    bearer: listReader(callerName),
  },
  certificates: { source: choice(certificateSources), secretName: subdomain },
  agent: {
    enabled: flag,
    resources: { requests: quantities, limits: quantities },
    leaseSeconds: integerIn(2, 3_600),
    allowExec: replaced('was replaced by agent.execNamespaces: the namespaces in which probes may run commands'),
    execNamespaces: listReader(dnsLabel),
    bindToNode: flag,
    allowProbeHosts: listReader(hostName),
    nodeCidrs: listReader(cidr),
    maxProbes: integerIn(1, 1_000),
    nodeSelector: labels,
  },
  featureGates: Object.fromEntries(Object.keys(defaultFeatureGates).map((gate) => [gate, flag])),
  logLevel: choice(logLevels),
  hostNetwork: flag,
  nodeSelector: labels,
  priorityClassName: subdomain,
  apiServerPorts: listReader(integerIn(1, maxPort)),
  apiServerCidrs: listReader(cidr),
  monitoringNamespaces: listReader(dnsLabel),
  ownerKinds: listReader(ownerKind),
};

/** From a user's file; what it leaves out has its default. */
export function readInstallValues(source: unknown): Parsed<InstallValues> {
  if (isUnset(source)) return parsed(defaults);
  const errors = isObject(source)
    ? fieldErrors(source, valueReaders, '')
    : [invalid('values', source, 'must be a map')];
  if (errors.length > 0 || !isObject(source)) return failed(...errors);
  // Safe: every field that is there was read by the reader of its type.
  const given = source as Partial<InstallValues>;
  const values: InstallValues = {
    ...defaults,
    ...withoutUnset(given),
    resources: { ...defaults.resources, ...withoutUnset(given.resources) },
    webhook: { ...defaults.webhook, ...withoutUnset(given.webhook) },
    certificates: { ...defaults.certificates, ...withoutUnset(given.certificates) },
    agent: {
      ...defaults.agent,
      ...withoutUnset(given.agent),
      resources: { ...defaults.agent.resources, ...withoutUnset(given.agent?.resources) },
    },
  };
  const conflicts = conflictErrors(values);
  return conflicts.length > 0 ? failed(...conflicts) : parsed(values);
}

function withoutUnset<T extends object>(part: T | null | undefined): Partial<T> {
  // Safe: fewer fields of the same type.
  return Object.fromEntries(Object.entries(part ?? {}).filter(([, value]) => !isUnset(value))) as Partial<T>;
}

function fieldErrors(source: Fields, known: Readers, prefix: string): readonly FieldError[] {
  return Object.entries(source).flatMap(([key, value]) => {
    const field = `${prefix}${key}`;
    const reader = Object.hasOwn(known, key) ? known[key] : undefined;
    if (reader === undefined)
      return [forbidden(field, `there is no such value; there are ${Object.keys(known).join(', ')}`)];
    if (isUnset(value)) return [];
    if (typeof reader === 'function') return reader(value, field);
    return isObject(value) ? fieldErrors(value, reader, `${field}.`) : [invalid(field, value, 'must be a map')];
  });
}

function conflictErrors({ namespace, certificates, webhook, replicas }: InstallValues): readonly FieldError[] {
  const given = certificates.source === 'secret';
  const rules: readonly (readonly [broken: boolean, error: FieldError])[] = [
    [
      namespace === 'kube-system',
      invalid('namespace', namespace, 'must be a namespace of its own: kube-system is never guarded, and never ours'),
    ],
    [
      namespace === 'default',
      invalid('namespace', namespace, 'must be a namespace of its own, because it is never guarded'),
    ],
    [
      namespace === agentsNamespace,
      invalid('namespace', namespace, 'must be another: that one holds the leases of the agents, and nothing else'),
    ],
    [
      given && certificates.secretName === undefined,
      required('certificates.secretName', 'names the Secret with tls.crt and tls.key'),
    ],
    [given && webhook.caBundle === undefined, required('webhook.caBundle', 'API servers must know whom to trust')],
    [
      !given && certificates.secretName !== undefined,
      forbidden('certificates.secretName', 'goes with certificates.source "secret" only'),
    ],
    [
      !given && webhook.caBundle !== undefined,
      forbidden('webhook.caBundle', 'goes with certificates.source "secret" only; otherwise it is filled in'),
    ],
    [
      isLacking(webhook.clientCertificates?.secretName, webhook.clientCertificates),
      required(
        'webhook.clientCertificates.secretName',
        'names the Secret whose ca.crt signs the certificates of API servers',
      ),
    ],
    [
      isLacking(webhook.clientCertificates?.names?.[0], webhook.clientCertificates),
      required('webhook.clientCertificates.names', 'an authority may sign certificates of others, too'),
    ],
    [webhook.bearer?.length === 0, required('webhook.bearer', 'names the users that API servers are')],
    [
      webhook.failurePolicy === 'Fail' && replicas < 2,
      invalid(
        'replicas',
        replicas,
        'must be at least 2 while webhook.failurePolicy is Fail: a restart would refuse requests',
      ),
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, error]) => error);
}

function isLacking(part: string | undefined, whole: object | undefined): boolean {
  return whole !== undefined && part === undefined;
}

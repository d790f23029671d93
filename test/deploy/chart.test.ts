import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { formatFieldErrors } from '../../packages/base/src/field-errors.ts';
import { type Fields, isObject } from '../../packages/base/src/json.ts';
import { installSteps } from '../../packages/holdfast/src/install/apply/steps.ts';
import { renderManifests } from '../../packages/holdfast/src/install/manifests/render.ts';
import { readInstallValues } from '../../packages/holdfast/src/install/values/read-values.ts';
import { randomOf } from '../../scripts/chart/random.ts';
import { candidates, chosenFrom, merged, namespaces } from './chart-values.ts';
import { chartFolder, helm, helmPath, helmTemplate } from './helm.ts';

const defaults = parse(readFileSync(`${chartFolder}/values.yaml`, 'utf8'), { version: '1.1' }) as Fields;
const schema = JSON.parse(readFileSync(`${chartFolder}/values.schema.json`, 'utf8')) as Schema;
/** A cluster that serves everything. */
const newest = ['--kube-version', '1.37.0'];
const combinations = 30;
const seed = Number(process.env['HOLDFAST_SEED'] ?? 20);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly not?: object;
}

type Objects = Readonly<Record<string, unknown>>;

const parsed = new Map<string, Fields | null>();

/** Most documents, and the longest of all, are the same whatever the values are: each text is parsed once. */
function parsedOnce(text: string): Fields | null {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const documents = parseAllDocuments(text, { version: '1.1' });
  expect(documents.length, text).toBeLessThanOrEqual(1);
  const object = (documents[0]?.toJS() ?? null) as Fields | null;
  parsed.set(text, object);
  return object;
}

/** The objects of a text of YAML, by kind, namespace and name. */
function objectsIn(text: string): Objects {
  const objects = text
    .split(/^---$/m)
    .map(parsedOnce)
    .filter((one) => one !== null);
  const named = objects.map((object) => [nameOf(object), withoutKeep(object)] as const);
  expect(new Set(named.map(([name]) => name)).size, 'objects with the same name').toBe(named.length);
  return Object.fromEntries(named);
}

function nameOf({ apiVersion, kind, metadata }: Fields): string {
  const { namespace = '', name } = isObject(metadata) ? metadata : {};
  return [apiVersion, kind, namespace, name].join(' ');
}

/** The one word that the chart adds: that Helm keeps definitions. */
function withoutKeep(object: Fields): Fields {
  if (object['kind'] !== 'CustomResourceDefinition' || !isObject(object['metadata'])) return object;
  const { annotations, ...metadata } = object['metadata'];
  const { 'helm.sh/resource-policy': policy, ...others } = isObject(annotations) ? annotations : {};
  expect(policy ?? 'keep').toBe('keep');
  return { ...object, metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others } };
}

/** The same values for `holdfast install`: what Helm merged, with what only a release knows. */
function installValues(given: Fields, namespace: string): Fields {
  const { crds: _, ...values } = merged(defaults, given);
  const word = (value: unknown) => (typeof value === 'boolean' ? (value ? 'on' : 'off') : value);
  const webhook = { ...(isObject(values['webhook']) ? values['webhook'] : {}), registeredBy: 'operator' };
  return { ...values, namespace, webhook, takeover: word(values['takeover']), projection: word(values['projection']) };
}

/** What `holdfast install --dry-run=client --values` prints, without the namespace that Helm or its user creates. */
function installed(given: Fields, namespace: string): Objects {
  const read = readInstallValues(installValues(given, namespace));
  if (!read.ok) throw new Error(formatFieldErrors(read.errors));
  const steps = installSteps(read.value, { crdsOnly: false, dryRun: true });
  const manifests = steps.flatMap((step) => (step.kind === 'apply' ? [step.manifest] : []));
  const { [`v1 Namespace  ${namespace}`]: _, ...objects } = objectsIn(renderManifests(manifests));
  return objects;
}

async function rendered(given: Fields, namespace: string, more: readonly string[] = newest): Promise<Objects> {
  const { status, stdout, stderr } = await helmTemplate(given, namespace, more);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return objectsIn(stdout);
}

function leaves({ properties = {} }: Schema, prefix = ''): readonly string[] {
  return Object.entries(properties).flatMap(([key, value]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const isLeaf = candidates[path] !== undefined || value.properties === undefined;
    return value.not === undefined ? (isLeaf ? [path] : leaves(value, path)) : [];
  });
}

describe('the values of the chart', () => {
  it('are all compared with those of holdfast install', () => {
    const others = ['global', 'crds.podUnavailableBudgets', 'crds.disruptionLedgers', 'webhook.caBundle'];
    const untried = leaves(schema).filter((path) => candidates[path] === undefined && !others.includes(path));
    expect(untried).toEqual([]);
  });
});

describe.runIf(helmPath !== undefined)('the chart, with the real helm', () => {
  it('has no complaints of helm lint', async () => {
    const { status, stdout, stderr } = await helm(['lint', '--strict', '--namespace', 'holdfast-system', chartFolder]);
    expect(`${stdout}${stderr}`).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(status).toBe(0);
  });

  it('renders what holdfast install applies, as it comes', async () => {
    expect(await rendered({}, 'holdfast-system')).toEqual(installed({}, 'holdfast-system'));
  });

  it.each(Object.keys(candidates))('renders what holdfast install applies, with each %s alone', async (path) => {
    for (const [index, value] of (candidates[path] ?? []).entries()) {
      const given = chosenFrom((one) => (one === path ? value : undefined));
      const namespace = namespaces[index % namespaces.length] ?? '';
      expect(await rendered(given, namespace), JSON.stringify(given)).toEqual(installed(given, namespace));
    }
  });

  it(`renders what holdfast install applies, with ${combinations} random combinations (HOLDFAST_SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const oneOf = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)];
    for (let count = 0; count < combinations; count++) {
      const given = chosenFrom((_, from) => (random() < 0.5 ? oneOf(from) : undefined));
      const namespace = oneOf(namespaces) ?? '';
      expect(await rendered(given, namespace), JSON.stringify(given)).toEqual(installed(given, namespace));
    }
  });

  it('leaves out what clusters do not serve, and nothing else', async () => {
    const all = Object.keys(await rendered({}, 'holdfast-system'));
    const older = Object.keys(await rendered({}, 'holdfast-system', ['--kube-version', '1.30.0']));
    expect(all.filter((name) => !older.includes(name))).toEqual([
      'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy  holdfast-disruptions-allowed',
      'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding  holdfast-disruptions-allowed',
    ]);
    const bare = Object.keys(await rendered({}, 'holdfast-system', [...newest, '--api-versions', 'v1/Pod']));
    const kinds = new Set(all.filter((name) => !bare.includes(name)).map((name) => name.split(' ')[1]));
    expect([...kinds].toSorted()).toEqual([
      'FlowSchema',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'NetworkPolicy',
      'PriorityLevelConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
  });

  it('leaves out definitions that another product brings', async () => {
    const names = Object.keys(await rendered({ crds: { podUnavailableBudgets: false } }, 'holdfast-system'));
    expect(names.filter((name) => name.includes('CustomResourceDefinition'))).toEqual([
      'apiextensions.k8s.io/v1 CustomResourceDefinition  disruptionledgers.holdfast.dev',
    ]);
  });

  const wrong: readonly (readonly [what: string, given: Fields, said: string])[] = [
    ['an unknown value', { replica: 3 }, "additional properties 'replica' not allowed"],
    ['an unknown value in a map', { agent: { probes: 3 } }, "at '/agent': additional properties 'probes' not allowed"],
    ['a namespace', { namespace: 'elsewhere' }, "additional properties 'namespace' not allowed"],
    ['a number as text', { replicas: '3' }, "at '/replicas': got string, want integer"],
    ['too many replicas', { replicas: 21 }, "at '/replicas': maximum: got 21, want 20"],
    ['an unknown word', { spread: 'never' }, "at '/spread': value must be one of 'required', 'preferred'"],
    ['a former word', { takeover: 'pdb' }, "at '/takeover': value must be one of 'on', 'off'"],
    ['a former value', { agent: { allowExec: true } }, "at '/agent/allowExec'"],
    ['an unknown gate', { featureGates: { Other: true } }, "at '/featureGates': additional properties 'Other'"],
    ['a gate that is no boolean', { featureGates: { EnforcedRollingUpdateInStatefulSet: 'no' } }, 'want boolean'],
    ['an amount that is a number', { resources: { limits: { cpu: 2 } } }, "at '/resources/limits/cpu': got number"],
    ['no amount', { resources: { limits: { cpu: 'much' } } }, "at '/resources/limits/cpu': 'much' does not match"],
    ['no label', { nodeSelector: { 'a b': 'c' } }, "at '/nodeSelector': additional properties 'a b' not allowed"],
    ['no label value', { nodeSelector: { a: 'b c' } }, "at '/nodeSelector/a'"],
    ['no range of addresses', { apiServerCidrs: ['10.0.0.7'] }, "at '/apiServerCidrs/0'"],
    ['no port', { apiServerPorts: [0] }, "at '/apiServerPorts/0': minimum: got 0, want 1"],
    ['too short a timeout', { webhook: { timeoutSeconds: 1 } }, 'minimum: got 1, want 2'],
    ['a URL with a path', { webhook: { url: 'https://a.example/b' } }, "at '/webhook/url'"],
    ['a URL without TLS', { webhook: { url: 'http://a.example' } }, "at '/webhook/url'"],
    ['an owner without a group', { ownerKinds: [{ resource: 'a' }] }, "at '/ownerKinds/0': missing property 'group'"],
    ['an image with a space', { image: 'a b' }, "at '/image'"],
    ['a namespace in capitals', { agent: { execNamespaces: ['A'] } }, "at '/agent/execNamespaces/0'"],
    ['a list that is a text', { imagePullSecrets: 'a' }, "at '/imagePullSecrets': got string, want array"],
  ];
  it.each(wrong)('refuses %s, as holdfast install does', async (_, given, said) => {
    const { status, stderr } = await helmTemplate(given, 'holdfast-system');
    expect(status).not.toBe(0);
    expect(stderr).toContain(said);
    const values = 'namespace' in given ? { ...given, namespace: 'A' } : merged(installValues({}, 'a'), given);
    expect(readInstallValues(values).ok).toBe(false);
  });

  const conflicting: readonly (readonly [what: string, given: Fields, namespace: string])[] = [
    ['kube-system', {}, 'kube-system'],
    ['default', {}, 'default'],
    ['the namespace of the leases', {}, 'holdfast-agents'],
    ['a Secret without its name and authority', { certificates: { source: 'secret' } }, 'a'],
    ['a Secret that is not used', { certificates: { secretName: 'b' } }, 'a'],
    ['an authority that is not used', { webhook: { caBundle: '-----BEGIN CERTIFICATE-----' } }, 'a'],
    ['client certificates without names', { webhook: { clientCertificates: { secretName: 'b' } } }, 'a'],
    ['client certificates without an authority', { webhook: { clientCertificates: { names: ['b'] } } }, 'a'],
    ['tokens of no users', { webhook: { bearer: [] } }, 'a'],
    ['a single replica that fails closed', { replicas: 1 }, 'a'],
  ];
  it.each(conflicting)('refuses %s, in the words of holdfast install', async (_, given, namespace) => {
    const read = readInstallValues(installValues(given, namespace));
    const errors = read.ok ? [] : read.errors;
    const { status, stderr } = await helmTemplate(given, namespace);
    expect(status).not.toBe(0);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(stderr).toContain(formatFieldErrors([error]));
  });
});

import { describe, expect, it } from 'vitest';
import { formatFieldErrors } from '../../../base/src/field-errors.ts';
import { readInstallValues } from '../../src/install/values/read-values.ts';
import { defaultInstallValues } from '../../src/install/values/values.ts';

describe('values of an installation', () => {
  it('are the defaults where nothing is said', () => {
    for (const source of [undefined, null, {}, { webhook: null }, { webhook: {}, resources: { requests: null } }]) {
      expect(readInstallValues(source)).toEqual({ ok: true, value: defaultInstallValues });
    }
  });

  it('change what is said, and nothing beside it', () => {
    const read = readInstallValues({ replicas: 3, webhook: { timeoutSeconds: 5 }, nodeSelector: { pool: 'system' } });
    expect(read).toEqual({
      ok: true,
      value: {
        ...defaultInstallValues,
        replicas: 3,
        webhook: { ...defaultInstallValues.webhook, timeoutSeconds: 5 },
        nodeSelector: { pool: 'system' },
      },
    });
  });

  it('change one thing of the agents alone', () => {
    const read = readInstallValues({ agent: { leaseSeconds: 20, resources: { limits: { memory: '1Gi' } } } });
    const { agent } = defaultInstallValues;
    const resources = { ...agent.resources, limits: { memory: '1Gi' } };
    expect(read).toEqual({
      ok: true,
      value: { ...defaultInstallValues, agent: { ...agent, leaseSeconds: 20, resources } },
    });
  });

  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

  it.each<readonly [unknown, string]>([
    [[], 'values: Invalid value: []: must be a map'],
    [{ replica: 3 }, 'replica: Forbidden: there is no such value; there are namespace, image'],
    [{ constructor: 1 }, 'constructor: Forbidden: there is no such value'],
    [JSON.parse('{"__proto__": {"replicas": 1}}'), '__proto__: Forbidden: there is no such value'],
    [{ namespace: 'Big' }, 'namespace: Invalid value: "Big": must be at most 63 lowercase letters'],
    [{ namespace: 'kube-system' }, 'namespace: Invalid value: "kube-system": must be a namespace of its own'],
    [{ namespace: 'default' }, 'namespace: Invalid value: "default": must be a namespace of its own'],
    [{ image: 'a b' }, 'image: Invalid value: "a b": must be the reference of an image'],
    [{ replicas: 0 }, 'replicas: Invalid value: 0: must be a whole number from 1 to 20'],
    [{ replicas: '2' }, 'replicas: Invalid value: "2": must be a whole number from 1 to 20'],
    [{ replicas: 1 }, 'replicas: Invalid value: 1: must be at least 2 while webhook.failurePolicy is Fail'],
    [
      { resources: { limits: { memory: '1 GB' } } },
      'resources.limits.memory: Invalid value: "1 GB": must be an amount',
    ],
    [{ resources: 1 }, 'resources: Invalid value: 1: must be a map'],
    [{ featureGates: { Other: true } }, 'featureGates.Other: Forbidden: there is no such value'],
    [
      { featureGates: { EnforcedRollingUpdateInStatefulSet: 'no' } },
      'featureGates.EnforcedRollingUpdateInStatefulSet: Invalid value: "no": must be true or false',
    ],
    [{ takeover: 'yes' }, 'takeover: Invalid value: "yes": must be "on" or "off"'],
    [
      { takeover: 'pdb' },
      'takeover: Invalid value: "pdb": must be "on" or "off": "pdb" was replaced by "on", which is for PDBs and PUBs',
    ],
    [
      { webhook: { timeoutSeconds: 31 } },
      'webhook.timeoutSeconds: Invalid value: 31: must be a whole number from 2 to 30',
    ],
    [{ webhook: { failurePolicy: 'fail' } }, 'webhook.failurePolicy: Unsupported value: "fail"'],
    [{ webhook: { url: 'http://10.0.0.7' } }, 'webhook.url: Invalid value: "http://10.0.0.7": must be https://HOST'],
    [{ webhook: { url: 'https://u@10.0.0.7' } }, 'webhook.url: Invalid value'],
    [{ webhook: { url: 'https://10.0.0.7/x?y' } }, 'webhook.url: Invalid value'],
    [{ webhook: { caBundle: pem } }, 'webhook.caBundle: Forbidden: goes with certificates.source "secret" only'],
    [{ certificates: { source: 'vault' } }, 'certificates.source: Unsupported value: "vault"'],
    [{ certificates: { source: 'secret' } }, 'certificates.secretName: Required value: names the Secret'],
    [
      { certificates: { source: 'secret', secretName: 'x' } },
      'webhook.caBundle: Required value: API servers must know',
    ],
    [{ certificates: { secretName: 'x' } }, 'certificates.secretName: Forbidden'],
    [{ agent: { leaseSeconds: 1 } }, 'agent.leaseSeconds: Invalid value: 1: must be a whole number from 2 to 3600'],
    [{ agent: { allowExec: true } }, 'agent.allowExec: Forbidden: was replaced by agent.execNamespaces'],
    [{ agent: { execNamespaces: ['*'] } }, 'agent.execNamespaces[0]: Invalid value: "*"'],
    [{ agent: { bindToNode: 'yes' } }, 'agent.bindToNode: Invalid value: "yes": must be true or false'],
    [{ agent: { allowProbeHosts: ['a/b'] } }, 'agent.allowProbeHosts[0]: Invalid value: "a/b"'],
    [{ agent: { nodeCidrs: ['10.0.0.0'] } }, 'agent.nodeCidrs[0]: Invalid value: "10.0.0.0"'],
    [{ agent: { nodeCidrs: ['10.0.0.0/33'] } }, 'agent.nodeCidrs[0]: Invalid value: "10.0.0.0/33"'],
    [{ namespace: 'holdfast-agents' }, 'namespace: Invalid value: "holdfast-agents": must be another'],
    [{ logLevel: 'loud' }, 'logLevel: Unsupported value: "loud"'],
    [{ hostNetwork: 'yes' }, 'hostNetwork: Invalid value: "yes": must be true or false'],
    [{ nodeSelector: { 'a b': 'c' } }, 'nodeSelector.a b: Invalid value'],
    [{ nodeSelector: { a: true } }, 'nodeSelector.a: Invalid value: true: must be a string'],
    [{ apiServerCidrs: ['10.0.0.7'] }, 'apiServerCidrs[0]: Invalid value: "10.0.0.7": must be a range of addresses'],
    [{ apiServerCidrs: ['10.0.0.7/33'] }, 'apiServerCidrs[0]: Invalid value'],
    [{ webhook: { bearer: [] } }, 'webhook.bearer: Required value'],
    [{ webhook: { bearer: ['a,b'] } }, 'webhook.bearer[0]: Invalid value: "a,b"'],
    [{ webhook: { clientCertificates: { secretName: 'x' } } }, 'webhook.clientCertificates.names: Required value'],
    [{ webhook: { clientCertificates: { names: ['x'] } } }, 'webhook.clientCertificates.secretName: Required value'],
    [{ apiServerPorts: [443, 70_000] }, 'apiServerPorts[1]: Invalid value: 70000'],
    [{ imagePullSecrets: 'x' }, 'imagePullSecrets: Invalid value: "x": must be a list'],
    [{ imagePullSecrets: Array(101).fill('x') }, 'imagePullSecrets: Invalid value: 101: must have at most 100 items'],
    [{ ownerKinds: [{ group: 'a.io', resource: 'b', verbs: ['*'] }] }, 'ownerKinds[0].verbs: Invalid value'],
    [{ ownerKinds: [{ group: '*', resource: 'b' }] }, 'ownerKinds[0].group: Invalid value: "*"'],
  ])('%j is refused', (source, message) => {
    const read = readInstallValues(source);
    expect(read.ok ? 'nothing is wrong' : formatFieldErrors(read.errors)).toContain(message);
  });

  it('tell all mistakes at once', () => {
    const read = readInstallValues({ replicas: 99, logLevel: 'loud', x: 1 });
    expect(read.ok ? [] : read.errors.map(({ field }) => field)).toEqual(['replicas', 'logLevel', 'x']);
  });
});

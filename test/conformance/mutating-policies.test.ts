import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Answer, Body } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/mutatingadmissionpolicies`;
const bindings = `${group}/mutatingadmissionpolicybindings`;
const deployments = `/apis/apps/v1/namespaces/${cluster.namespace}/deployments`;
const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const onDeployments = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

/** Deployments of one policy are told by a label, so that tests do not meet. */
function policyFor(label: string, mutations: readonly object[], more: object = {}) {
  return {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: { resourceRules: [onDeployments], objectSelector: { matchLabels: { policy: label } } },
    mutations,
    ...more,
  };
}

async function bound(label: string, spec: object, binding: object = {}): Promise<string> {
  const name = cluster.name(`${label}.example.com`);
  cluster.cleanUp(`${policies}/${name}`);
  cluster.cleanUp(`${bindings}/${name}`);
  await made(cluster.request('POST', policies, { body: { metadata: { name }, spec } }));
  const body = { metadata: { name }, spec: { policyName: name, ...binding } };
  await made(cluster.request('POST', bindings, { body }));
  return name;
}

const container = { name: 'web', image: 'web:1' };

function deployment(label: string, name: string): object {
  return {
    metadata: { name, labels: { policy: label }, annotations: { kept: 'yes' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
    },
  };
}

/** A real server hears of policies a moment after they are written. */
async function until(label: string, good: (answer: Answer) => boolean): Promise<Answer> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const body = deployment(label, `${label}-${attempt}`);
    const answer = await cluster.request('POST', `${deployments}?dryRun=All`, { body });
    if (good(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the policy never did what was expected');
}

const annotationOf = ({ body }: Answer, name: string) => body.metadata?.annotations?.[name];

describe('a mutating policy', () => {
  it('merges an object that its expression makes up', async () => {
    const expression = `Object{
      metadata: Object.metadata{annotations: {"by": "policy", "was": string(object.metadata.annotations.kept)}},
      spec: Object.spec{
        replicas: 3,
        template: Object.spec.template{spec: Object.spec.template.spec{
          containers: [Object.spec.template.spec.containers{name: "web", imagePullPolicy: "Never"}],
        }},
      },
    }`;
    await bound('merge', policyFor('merge', [apply(expression)]));
    const { body } = await until('merge', (answer) => annotationOf(answer, 'by') === 'policy');
    expect(body.metadata.annotations).toEqual({ kept: 'yes', by: 'policy', was: 'yes' });
    expect(body.spec['replicas']).toBe(3);
    const { containers } = (body.spec['template'] as Body).spec;
    expect(containers).toMatchObject([
      { ...container, imagePullPolicy: 'Never', terminationMessagePath: expect.any(String) },
    ]);
  });

  it('applies the operations of a patch, and sees what the mutation before it made', async () => {
    const first = 'Object{metadata: Object.metadata{annotations: {"first": "1"}}}';
    const second = `object.metadata.annotations["first"] == "1" ? [
      JSONPatch{op: "test", path: "/spec/replicas", value: 1},
      JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/second"), value: "2"},
      JSONPatch{op: "remove", path: "/metadata/annotations/kept"}
    ] : []`;
    await bound('patch', policyFor('patch', [apply(first), patch(second)]));
    const { body } = await until('patch', (answer) => annotationOf(answer, 'first') === '1');
    expect(body.metadata.annotations).toEqual({ first: '1', 'example.com/second': '2' });
  });

  it('has variables, conditions and parameters', async () => {
    const name = cluster.name('params');
    await made(cluster.request('POST', configMaps, { body: { metadata: { name }, data: { team: 'blue' } } }));
    const spec = policyFor('params', [apply('Object{metadata: Object.metadata{annotations: variables.notes}}')], {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'notes', expression: '{"team": params.data.team}' }],
      matchConditions: [{ name: 'web', expression: 'object.metadata.name.startsWith("params")' }],
    });
    const paramRef = { name, namespace: cluster.namespace, parameterNotFoundAction: 'Deny' };
    await bound('params', spec, { paramRef });
    const answer = await until('params', (one) => annotationOf(one, 'team') !== undefined);
    expect(annotationOf(answer, 'team')).toBe('blue');
    const other = await cluster.request('POST', `${deployments}?dryRun=All`, { body: deployment('params', 'x') });
    expect(annotationOf(other, 'team')).toBeUndefined();
  });

  it('refuses what it cannot work on, unless it is to be ignored', async () => {
    const broken = [
      apply('Object{metadata: Object.metadata{annotations: {"x": string(object.metadata.annotations.none)}}}'),
    ];
    const name = await bound('broken', policyFor('broken', broken));
    const { code, body } = await until('broken', (answer) => answer.code !== 201);
    expect(code).toBe(403);
    expect(body.reason).toBe('Invalid');
    expect(body.message).toContain(`policy '${name}' with binding '${name}' denied request: `);
    expect(body.message).toContain('no such key: none');
    await bound('lenient', policyFor('lenient', broken, { failurePolicy: 'Ignore' }));
    await made(cluster.request('POST', `${deployments}?dryRun=All`, { body: deployment('lenient', 'a') }));
  });

  it('does not replace what can only be replaced as a whole', async () => {
    const expression = 'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"app": "other"}}}}';
    await bound('atomic', policyFor('atomic', [apply(expression)]));
    const { body } = await until('atomic', (answer) => answer.code !== 201);
    expect(body.message).toContain('may not mutate atomic arrays, maps or structs: .spec.selector');
  });
});

describe('a mutating policy that cannot be', () => {
  const refused: [what: string, spec: object, message: string][] = [
    [
      'without mutations',
      policyFor('x', []),
      'spec.mutations: Required value: mutations must contain at least one item',
    ],
    [
      'without its patch',
      policyFor('x', [{ patchType: 'JSONPatch' }]),
      'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
    ],
    [
      'with two patches in one',
      policyFor('x', [{ ...apply('Object{}'), jsonPatch: { expression: '[]' } }]),
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
    [
      'with another kind of patch',
      policyFor('x', [{ patchType: 'Other' }]),
      'spec.mutations[0].patchType: Unsupported value: "Other"',
    ],
    [
      'with an expression that says nothing',
      policyFor('x', [apply('absent')]),
      "undeclared reference to 'absent' (in container '')",
    ],
    [
      'that does not say whether it is asked again',
      policyFor('x', [apply('Object{}')], { reinvocationPolicy: '' }),
      'spec.reinvocationPolicy: Required value',
    ],
    [
      'for deletions',
      policyFor('x', [apply('Object{}')], {
        matchConstraints: { resourceRules: [{ ...onDeployments, operations: ['DELETE'] }] },
      }),
      'Unsupported value: "DELETE"',
    ],
  ];
  it.each(refused)('%s', async (_what, spec, message) => {
    const body = { metadata: { name: cluster.name('bad.example.com') }, spec };
    const answer = await cluster.request('POST', `${policies}?dryRun=All`, { body });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(message);
  });
});

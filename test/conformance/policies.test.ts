import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Answer } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const registration = '/apis/admissionregistration.k8s.io/v1';
const maps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
const label = cluster.name('mark');

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };

interface Wish {
  readonly spec: object;
  readonly binding?: object;
}

/** A policy for the config maps of this test alone, and what brings it into effect. */
async function policy(base: string, { spec, binding = {} }: Wish): Promise<string> {
  const name = cluster.name(base);
  const bodies = {
    validatingadmissionpolicies: { matchConstraints: { resourceRules: [rule] }, ...spec },
    validatingadmissionpolicybindings: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { objectSelector: { matchLabels: { [label]: base } } },
      ...binding,
    },
  };
  for (const [plural, of] of Object.entries(bodies)) {
    cluster.cleanUp(`${registration}/${plural}/${name}`);
    await made(cluster.request('POST', `${registration}/${plural}`, { body: { metadata: { name }, spec: of } }));
  }
  return name;
}

const map = (base: string, name: string, data: object) => ({ metadata: { name, labels: { [label]: base } }, data });

const create = (base: string, data: object, name = `${base}-x`): Promise<Answer> =>
  cluster.request('POST', `${maps}?dryRun=All`, { body: map(base, name, data) });

/** A real server takes a moment to see a new policy. */
async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`);
}

describe('admission policies', () => {
  it('refuse what their expressions do not agree with, in their own words', async () => {
    const name = await policy('size', {
      spec: {
        variables: [{ name: 'size', expression: 'object.data.size()' }],
        validations: [
          { expression: 'variables.size > 1', messageExpression: "'only ' + string(variables.size)" },
          { expression: "!('bad' in object.data)", message: 'not that one', reason: 'Forbidden' },
          { expression: "namespaceObject.metadata.name == object.metadata.namespace && request.operation == 'CREATE'" },
        ],
      },
    });
    await until('it is in effect', async () => (await create('size', { a: '1' })).code === 422);
    const about = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request`;
    expect((await create('size', { a: '1' })).body).toMatchObject({
      message: `configmaps "size-x" is forbidden: ${about}: only 1`,
      reason: 'Invalid',
      details: { name: 'size-x', kind: 'configmaps', causes: [{ message: `${about}: only 1` }] },
    });
    expect(await create('size', { a: '1', bad: '2' })).toMatchObject({
      code: 403,
      body: { reason: 'Forbidden', message: `configmaps "size-x" is forbidden: ${about}: not that one` },
    });
    expect((await create('size', { a: '1', b: '2' })).code).toBe(201);
    expect((await create('another', { a: '1' })).code).toBe(201);
  });

  it('refuse what they cannot judge, unless they are told to ignore that', async () => {
    const validations = [{ expression: "variables.gone == 'x'" }];
    const variables = [{ name: 'gone', expression: 'object.data.nope' }];
    const name = await policy('strict', { spec: { variables, validations } });
    await policy('lenient', { spec: { variables, validations, failurePolicy: 'Ignore' } });
    await until('it is in effect', async () => (await create('strict', { a: '1' })).code === 422);
    expect((await create('strict', { a: '1' })).body.message).toBe(
      `configmaps "strict-x" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ` +
        `expression 'variables.gone == 'x'' resulted in error: composited variable "gone" fails to evaluate: no such key: nope`,
    );
    expect((await create('lenient', { a: '1' })).code).toBe(201);
    expect((await create('strict', { nope: 'x' })).code).toBe(201);
  });

  it('look only at what their conditions and rules are about', async () => {
    await policy('named', {
      spec: {
        matchConditions: [{ name: 'not-exempt', expression: '!has(object.metadata.annotations)' }],
        matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['named-x'] }] },
        validations: [{ expression: 'false' }],
      },
    });
    await until('it is in effect', async () => (await create('named', {})).code === 422);
    expect((await create('named', {}, 'named-y')).code).toBe(201);
    const exempt = map('named', 'named-x', {});
    const metadata = { ...exempt.metadata, annotations: { a: 'b' } };
    expect((await cluster.request('POST', `${maps}?dryRun=All`, { body: { ...exempt, metadata } })).code).toBe(201);
  });

  it('are told by objects what to allow, and say when there are none', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'object.data.size() <= int(params.data.max)', message: 'too many' }],
    };
    await made(cluster.request('POST', maps, { body: { metadata: { name: 'limits' }, data: { max: '1' } } }));
    const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
    const missing = { name: 'nowhere', parameterNotFoundAction: 'Deny' };
    const matchResources = (base: string) => ({ objectSelector: { matchLabels: { [label]: base } } });
    await policy('limited', { spec, binding: { paramRef, matchResources: matchResources('limited') } });
    await policy('lost', { spec, binding: { paramRef: missing, matchResources: matchResources('lost') } });
    await until('it is in effect', async () => (await create('limited', { a: '1', b: '2' })).code === 422);
    expect((await create('limited', { a: '1', b: '2' })).body.message).toMatch(/denied request: too many$/);
    expect((await create('limited', { a: '1' })).code).toBe(201);
    await until('that is in effect, too', async () => (await create('lost', {})).code >= 400);
    expect((await create('lost', {})).body.message).toContain(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  });

  it('cannot be written with expressions that do not compile', async () => {
    const refused = (spec: object) =>
      cluster.request('POST', `${registration}/validatingadmissionpolicies`, {
        body: {
          metadata: { name: cluster.name('bad') },
          spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
        },
      });
    expect((await refused({ validations: [{ expression: 'object.(' }] })).body.details?.causes).toMatchObject([
      { field: 'spec.validations[0].expression' },
    ]);
    expect((await refused({ validations: [{ expression: 'params.x' }] })).code).toBe(422);
    expect((await refused({ validations: [] })).code).toBe(422);
  });
});

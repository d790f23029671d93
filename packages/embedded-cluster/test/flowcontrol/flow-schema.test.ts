import { describe, expect, it } from 'vitest';
import type { Attributes, User } from '../../src/auth/user.ts';
import { bootstrapFlows } from '../../src/flowcontrol/bootstrap-flows.ts';
import { seatsOf } from '../../src/flowcontrol/flow-control.ts';
import { byPrecedence, flowSchemaMatches, flowSchemaOf } from '../../src/flowcontrol/flow-schema.ts';

const anna: User = { name: 'anna', groups: ['readers', 'system:authenticated'] };
const account: User = { name: 'system:serviceaccount:web:robot', groups: ['system:authenticated'] };

function schema(rule: object, name = 'a', matchingPrecedence = 1) {
  const spec = { priorityLevelConfiguration: { name: 'level' }, matchingPrecedence, rules: [rule] };
  const metadata = { name, uid: `uid-${name}` };
  return flowSchemaOf({ apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata, spec });
}

const onPods: Attributes = {
  user: anna,
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'web',
  name: 'a',
};

const allUsers = [{ kind: 'Group', group: { name: '*' } }];
const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['web'] };

describe('a flow schema is about a request', () => {
  const subjects: [what: string, subject: object, user: User, want: boolean][] = [
    ['of the user it names', { kind: 'User', user: { name: 'anna' } }, anna, true],
    ['of no other user', { kind: 'User', user: { name: 'anna' } }, account, false],
    ['of any user', { kind: 'User', user: { name: '*' } }, account, true],
    ['of those in its group', { kind: 'Group', group: { name: 'readers' } }, anna, true],
    ['of no user outside of its group', { kind: 'Group', group: { name: 'readers' } }, account, false],
    [
      'of its service account',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'web', name: 'robot' } },
      account,
      true,
    ],
    [
      'of all service accounts of a namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'web', name: '*' } },
      account,
      true,
    ],
    [
      'of none of a namespace with a longer name',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'we', name: '*' } },
      account,
      false,
    ],
    ['of no user, if its kind of subject is unknown', { kind: 'Robot' }, anna, false],
  ];
  it.each(subjects)('%s', (_what, subject, user, want) => {
    expect(flowSchemaMatches(schema({ subjects: [subject], resourceRules: [pods] }), { ...onPods, user })).toBe(want);
  });

  const resources: [what: string, rule: object, request: Partial<Attributes>, want: boolean][] = [
    ['for what it names', {}, {}, true],
    ['for no other verb', {}, { verb: 'list' }, false],
    ['for no other group', {}, { group: 'apps' }, false],
    ['for no other namespace', {}, { namespace: 'other' }, false],
    ['for no subresource that it does not name', {}, { subresource: 'status' }, false],
    ['for a subresource that it names', { resources: ['pods/status'] }, { subresource: 'status' }, true],
    ['for everything', { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }, { group: 'x' }, true],
    ['for nothing outside of namespaces', { namespaces: ['*'] }, { namespace: '' }, false],
    ['for what is outside of namespaces', { clusterScope: true }, { namespace: '' }, true],
  ];
  it.each(resources)('%s', (_what, rule, request, want) => {
    const asked = { ...onPods, ...request } as Attributes;
    expect(flowSchemaMatches(schema({ subjects: allUsers, resourceRules: [{ ...pods, ...rule }] }), asked)).toBe(want);
  });

  const paths: [url: string, path: string, want: boolean][] = [
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/ping', true],
    ['/healthz', '/healthzy', false],
    ['/apis/*', '/apis/apps', true],
    ['*', '/anything', true],
    ['/version', '/metrics', false],
  ];
  it.each(paths)('whose paths are %s, for the path %s: %s', (url, path, want) => {
    const rule = { subjects: allUsers, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [url] }] };
    expect(flowSchemaMatches(schema(rule), { user: anna, verb: 'get', path })).toBe(want);
    expect(flowSchemaMatches(schema(rule), { user: anna, verb: 'post', path })).toBe(false);
    expect(flowSchemaMatches(schema(rule), onPods)).toBe(false);
  });
});

describe('flow schemas', () => {
  it('are asked by their numbers, and then by their names', () => {
    const sorted = [schema({}, 'c', 2), schema({}, 'b', 10), schema({}, 'a', 2)].sort(byPrecedence);
    expect(sorted.map(({ name }) => name)).toEqual(['a', 'c', 'b']);
  });

  const flows = bootstrapFlows()
    .filter(({ kind }) => kind === 'FlowSchema')
    .map(flowSchemaOf)
    .sort(byPrecedence);
  const masters = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  const node = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
  const system = { name: 'system:serviceaccount:kube-system:x', groups: ['system:serviceaccounts'] };
  const lease = { group: 'coordination.k8s.io', resource: 'leases' };
  it.each<[string, Partial<Attributes>]>([
    ['exempt', { user: masters }],
    ['system-node-high', { user: node, resource: 'nodes', subresource: 'status', namespace: '' }],
    ['system-nodes', { user: node }],
    ['system-leader-election', { user: system, ...lease }],
    ['kube-system-service-accounts', { user: system }],
    ['global-default', { user: anna }],
  ])('that every cluster has: %s takes what is its', (name, request) => {
    const asked = { ...onPods, ...request } as Attributes;
    expect(flows.find((flow) => flowSchemaMatches(flow, asked))?.name).toBe(name);
  });

  it('that every cluster has take probes of all users, and everything', () => {
    const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
    const takes = (path: string) =>
      flows.find((flow) => flowSchemaMatches(flow, { user: anonymous, verb: 'get', path }))?.name;
    expect([takes('/livez'), takes('/version')]).toEqual(['probes', 'global-default']);
  });
});

describe('seats', () => {
  it('are shared out by shares, rounded up', () => {
    const level = (name: string, spec: object) => ({ apiVersion: '', kind: '', metadata: { name }, spec });
    const seats = seatsOf([
      level('none', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0 } }),
      level('one', { type: 'Limited', limited: { nominalConcurrencyShares: 1 } }),
      level('six', { type: 'Limited', limited: { nominalConcurrencyShares: 6 } }),
    ]);
    expect(seats.map(({ priorityLevel, seats: count }) => `${priorityLevel} ${count}`)).toEqual([
      'none 0',
      'one 86',
      'six 515',
    ]);
    expect(seatsOf([])).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, KubeObject } from '../../src/objects.ts';
import { type Handler, patchOf, startWebhookServer, type WebhookServer } from './webhook-server.ts';
import {
  admissionOver,
  aPod,
  aRequest,
  aWebhook,
  mutatingConfiguration,
  mutatingKey,
  refusalFrom,
  widgetsV2,
} from './world.ts';

let server: WebhookServer;

beforeAll(async () => {
  server = await startWebhookServer();
});
afterAll(() => server.close());

let paths = 0;

const annotated = aPod({}, { annotations: {} });

/** Webhooks that note when they are asked, under the last part of their path. */
function noting(calls: string[], name: string, handler: Handler, more: JsonObject = {}): JsonObject {
  paths += 1;
  const path = `/${name}-${paths}`;
  server.handle(path, (received, answer) => {
    calls.push(name);
    return handler(received, answer);
  });
  return aWebhook(`${name}.example.com`, `${server.url}${path}`, server.ca, more);
}

const annotate = (key: string, value = 'yes') => patchOf({ op: 'add', path: `/metadata/annotations/${key}`, value });
const allow: Handler = () => ({ allowed: true });

function over(webhooks: readonly JsonObject[], more: Parameters<typeof admissionOver>[1] = {}) {
  return admissionOver({ [mutatingKey]: [mutatingConfiguration('c', ...webhooks)] }, more);
}

const annotationsOf = (object: KubeObject | undefined) => object?.metadata.annotations;

describe('mutating webhooks', () => {
  test('are asked in the order of configuration names, each about the work of the one before', async () => {
    const calls: string[] = [];
    const seen: unknown[] = [];
    const look: Handler = ({ review }) => {
      seen.push((review.request['object'] as KubeObject).metadata.annotations);
      return annotate('second');
    };
    const admission = admissionOver({
      [mutatingKey]: [
        mutatingConfiguration('b', noting(calls, 'second', look)),
        mutatingConfiguration(
          'a',
          noting(calls, 'first', () => annotate('first')),
        ),
      ],
    });
    const result = await admission.mutate(aRequest({ object: annotated }));
    expect(calls).toEqual(['first', 'second']);
    expect(seen).toEqual([{ first: 'yes' }]);
    expect(annotationsOf(result)).toEqual({ first: 'yes', second: 'yes' });
  });

  test('leave the object of the request alone', async () => {
    const object = structuredClone(annotated);
    await over([noting([], 'one', () => annotate('x'))]).mutate(aRequest({ object }));
    expect(object).toEqual(annotated);
  });

  test('are asked again when a later one changed the object and they want to know', async () => {
    const calls: string[] = [];
    const once = annotate('late');
    await over([
      noting(calls, 'again', allow, { reinvocationPolicy: 'IfNeeded' }),
      noting(calls, 'never', allow),
      noting(calls, 'change', () => once),
      noting(calls, 'last', allow, { reinvocationPolicy: 'IfNeeded' }),
    ]).mutate(aRequest({ object: annotated }));
    expect(calls).toEqual(['again', 'never', 'change', 'last', 'again']);
  });

  test('are not called again when nothing changed', async () => {
    const calls: string[] = [];
    await over([
      noting(calls, 'first', allow, { reinvocationPolicy: 'IfNeeded' }),
      noting(calls, 'same', () => patchOf({ op: 'replace', path: '/metadata/name', value: 'web-0' })),
    ]).mutate(aRequest({ object: annotated }));
    expect(calls).toEqual(['first', 'same']);
  });

  test('are not asked for the first time in the second round', async () => {
    const calls: string[] = [];
    const selective = { reinvocationPolicy: 'IfNeeded', objectSelector: { matchLabels: { late: 'yes' } } };
    const label = patchOf({ op: 'add', path: '/metadata/labels', value: { late: 'yes' } });
    await over([noting(calls, 'picky', allow, selective), noting(calls, 'label', () => label)]).mutate(
      aRequest({ object: annotated }),
    );
    expect(calls).toEqual(['label']);
  });

  test('have their patches defaulted before the next one looks', async () => {
    const seen: unknown[] = [];
    const look: Handler = ({ review }) => {
      seen.push((review.request['object'] as KubeObject).metadata.annotations);
      return { allowed: true };
    };
    await over([noting([], 'one', () => annotate('patched')), noting([], 'two', look)], {
      applyDefaults: (kind, draft) => {
        draft.metadata.annotations = { ...draft.metadata.annotations, defaulted: kind.kind };
      },
    }).mutate(aRequest({ object: annotated }));
    expect(seen).toEqual([{ patched: 'yes', defaulted: 'Pod' }]);
  });

  test('see another version where their rules want it, and their patch comes back in the client’s', async () => {
    const rules = [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'] }];
    const seen: unknown[] = [];
    const look: Handler = ({ review }) => {
      const { object, kind, requestKind } = review.request;
      seen.push((object as KubeObject).apiVersion, kind, requestKind);
      return annotate('from-v1');
    };
    const object = { ...annotated, apiVersion: 'example.com/v2', kind: 'Widget' };
    const result = await over([noting([], 'old', look, { rules })]).mutate(aRequest({ type: widgetsV2, object }));
    expect(seen).toEqual([
      'example.com/v1',
      { group: 'example.com', version: 'v1', kind: 'Widget' },
      { group: 'example.com', version: 'v2', kind: 'Widget' },
    ]);
    expect(result).toMatchObject({ apiVersion: 'example.com/v2', metadata: { annotations: { 'from-v1': 'yes' } } });
  });

  test('are asked about deletions, and answer nothing', async () => {
    const calls: string[] = [];
    const request = aRequest({ operation: 'DELETE', object: undefined, oldObject: annotated });
    expect(await over([noting(calls, 'one', allow)]).mutate(request)).toBeUndefined();
    expect(calls).toEqual(['one']);
  });

  test('refuse for good', async () => {
    const calls: string[] = [];
    const no: Handler = () => ({ allowed: false, status: { code: 403, message: 'no' } });
    const admission = over([noting(calls, 'no', no, { failurePolicy: 'Ignore' }), noting(calls, 'next', allow)]);
    expect((await refusalFrom(admission.mutate(aRequest()))).message).toBe(
      'admission webhook "no.example.com" denied the request: no',
    );
    expect(calls).toEqual(['no']);
  });
});

const remove = patchOf({ op: 'add', path: '/metadata/labels/x', value: 'y' });
const deletion = { operation: 'DELETE', object: undefined, oldObject: annotated } as const;

const broken: readonly [name: string, response: JsonObject, request: object, message: string][] = [
  [
    'that does not apply',
    patchOf({ op: 'test', path: '/kind', value: 'Pod' }, { op: 'add', path: '/metadata/labels/x', value: 'y' }),
    {},
    'Internal error occurred: add operation does not apply: doc is missing path: "/metadata/labels/x": missing value',
  ],
  [
    'that removes what is not there',
    patchOf({ op: 'remove', path: '/spec/x' }),
    {},
    "Internal error occurred: error in remove for path: '/spec/x': Unable to remove nonexistent key: x: missing value",
  ],
  [
    'that removes from nowhere',
    patchOf({ op: 'remove', path: '/nothing/x' }),
    {},
    'Internal error occurred: remove operation does not apply: doc is missing path: "/nothing/x": missing value',
  ],
  [
    'that replaces nowhere',
    patchOf({ op: 'replace', path: '/nothing/x', value: 1 }),
    {},
    'Internal error occurred: replace operation does not apply: doc is missing path: /nothing/x: missing value',
  ],
  [
    'that copies from nowhere',
    patchOf({ op: 'copy', from: '/nothing/y', path: '/spec/x' }),
    {},
    'Internal error occurred: copy operation does not apply: doc is missing from path: /nothing/y: missing value',
  ],
  [
    'whose test fails',
    patchOf({ op: 'test', path: '/kind', value: 'Node' }),
    {},
    'Internal error occurred: testing value /kind failed: test failed',
  ],
  [
    'of an unknown operation',
    patchOf({ op: 'magic', path: '/kind' }),
    {},
    'Internal error occurred: Unexpected kind: magic',
  ],
  [
    'for a deletion',
    remove,
    deletion,
    'Internal error occurred: admission webhook "w.example.com" attempted to modify the object, which is not supported for this operation',
  ],
  [
    'without its type',
    { allowed: true, patch: 'W10=' },
    {},
    'Internal error occurred: failed calling webhook "w.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
  ],
  [
    'of a type alone',
    { allowed: true, patchType: 'JSONPatch' },
    {},
    'Internal error occurred: failed calling webhook "w.example.com": received invalid webhook response: webhook returned response.patchType but not response.patch',
  ],
  [
    'of an unknown type',
    { ...remove, patchType: 'Magic' },
    {},
    'Internal error occurred: failed calling webhook "w.example.com": unsupported patch type "Magic"',
  ],
  [
    'that is not base64',
    { allowed: true, patch: '*', patchType: 'JSONPatch' },
    {},
    'Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: illegal base64 data at input byte 0',
  ],
  [
    'that is no JSON',
    { allowed: true, patch: 'Kio=', patchType: 'JSONPatch' },
    {},
    'Internal error occurred: failed calling webhook "w.example.com": received undecodable patch in webhook response: invalid character \'*\' looking for beginning of value',
  ],
  [
    'that is no list',
    { allowed: true, patch: 'e30=', patchType: 'JSONPatch' },
    {},
    'Internal error occurred: failed calling webhook "w.example.com": received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
  ],
];

describe('a patch', () => {
  test.each(broken)('%s ends the request', async (_name, response, request, message) => {
    server.handle('/broken', () => response);
    const admission = over([aWebhook('w.example.com', `${server.url}/broken`, server.ca)]);
    const refusal = await refusalFrom(admission.mutate(aRequest({ object: aPod(), ...request })));
    expect(refusal.status).toMatchObject({ code: 500, reason: 'InternalError', message });
  });

  test('of no operations changes nothing, not even for a deletion', async () => {
    server.handle('/broken', () => patchOf());
    const admission = over([aWebhook('w.example.com', `${server.url}/broken`, server.ca)]);
    expect(await admission.mutate(aRequest(deletion))).toBeUndefined();
  });

  test('cannot reach the prototype', async () => {
    server.handle('/broken', () => patchOf({ op: 'add', path: '/__proto__/polluted', value: true }));
    const admission = over([aWebhook('w.example.com', `${server.url}/broken`, server.ca)]);
    await refusalFrom(admission.mutate(aRequest()));
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

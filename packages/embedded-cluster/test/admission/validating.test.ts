import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/objects.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { serverCertificate } from './certificates.ts';
import { type Handler, loopback, startWebhookServer, type WebhookServer } from './webhook-server.ts';
import { admissionOver, aRequest, aWebhook, refusalFrom, validatingConfiguration, validatingKey } from './world.ts';

let server: WebhookServer;

beforeAll(async () => {
  server = await startWebhookServer();
});
afterAll(() => server.close());

let paths = 0;

function hook(handler: Handler, more: JsonObject = {}, name = 'w.example.com'): JsonObject {
  paths += 1;
  server.handle(`/h${paths}`, handler);
  return aWebhook(name, `${server.url}/h${paths}`, server.ca, more);
}

function over(...webhooks: readonly JsonObject[]) {
  return admissionOver({ [validatingKey]: [validatingConfiguration('c', ...webhooks)] });
}

const refusals: readonly [name: string, response: JsonObject, status: JsonObject][] = [
  [
    'without a status is 400 without a reason',
    { allowed: false },
    { code: 400, message: 'admission webhook "w.example.com" denied the request without explanation' },
  ],
  [
    'with a message only is 400',
    { allowed: false, status: { message: 'no' } },
    { code: 400, message: 'admission webhook "w.example.com" denied the request: no' },
  ],
  [
    'with a reason only says the reason',
    { allowed: false, status: { reason: 'Forbidden', code: 403 } },
    { code: 403, reason: 'Forbidden', message: 'admission webhook "w.example.com" denied the request: Forbidden' },
  ],
  [
    'with a code of success becomes 400',
    { allowed: false, status: { code: 200, message: 'no', status: 'Success' } },
    { code: 400, message: 'admission webhook "w.example.com" denied the request: no' },
  ],
  [
    'passes through whole',
    {
      allowed: false,
      status: {
        code: 429,
        reason: 'TooManyRequests',
        message: 'later',
        details: {
          name: 'web',
          group: 'g',
          kind: 'k',
          uid: 'u',
          retryAfterSeconds: 5,
          causes: [{ reason: 'Budget', message: 'none left', field: 'spec' }, 'garbage'],
        },
      },
    },
    {
      code: 429,
      reason: 'TooManyRequests',
      message: 'admission webhook "w.example.com" denied the request: later',
      details: {
        name: 'web',
        group: 'g',
        kind: 'k',
        uid: 'u',
        causes: [{ reason: 'Budget', message: 'none left', field: 'spec' }],
        retryAfterSeconds: 5,
      },
    },
  ],
];

describe('a refusal', () => {
  test.each(refusals)('%s', async (_name, response, status) => {
    const refusal = await refusalFrom(over(hook(() => response)).validate(aRequest()));
    expect(refusal.status).toEqual(status);
  });

  test('stands even where failures are ignored', async () => {
    const admission = over(hook(() => ({ allowed: false }), { failurePolicy: 'Ignore' }));
    expect((await refusalFrom(admission.validate(aRequest()))).code).toBe(400);
  });

  test('brings the warnings of its webhook along, in the order of configurations', async () => {
    const admission = over(
      hook(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { allowed: false, warnings: ['first'] };
      }),
      hook(() => ({ allowed: true, warnings: ['second'] }), {}, 'x.example.com'),
    );
    const request = aRequest();
    await refusalFrom(admission.validate(request));
    expect(request.warnings).toEqual(['first', 'second']);
  });

  test('of the first configuration by name wins, whichever comes first', async () => {
    const late: Handler = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { allowed: false, status: { message: 'late' } };
    };
    const admission = admissionOver({
      [validatingKey]: [
        validatingConfiguration(
          'b',
          hook(() => ({ allowed: false, status: { message: 'soon' } })),
        ),
        validatingConfiguration('a', hook(late)),
      ],
    });
    expect((await refusalFrom(admission.validate(aRequest()))).message).toContain('late');
  });
});

describe('validating webhooks', () => {
  test('are asked at the same time', async () => {
    let waiting = 0;
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet: Handler = async () => {
      waiting += 1;
      if (waiting === 2) release();
      await both;
      return { allowed: true };
    };
    await over(hook(meet), hook(meet, {}, 'x.example.com')).validate(aRequest());
    expect(waiting).toBe(2);
  });

  test('are reached over one connection, one call after the other', async () => {
    const own = await startWebhookServer();
    const admission = admissionOver({
      [validatingKey]: [validatingConfiguration('c', aWebhook('w.example.com', own.url, own.ca))],
    });
    for (let call = 0; call < 5; call += 1) await admission.validate(aRequest());
    expect(own.received).toHaveLength(5);
    expect(own.connections()).toBe(1);
    admission.close();
    await own.close();
  });

  test('that closed an idle connection are reached over a new one', async () => {
    const own = await startWebhookServer();
    const admission = admissionOver({
      [validatingKey]: [validatingConfiguration('c', aWebhook('w.example.com', own.url, own.ca))],
    });
    await admission.validate(aRequest());
    await own.closeIdle();
    await admission.validate(aRequest());
    expect(own.connections()).toBe(2);
    admission.close();
    await own.close();
  });

  test('that cannot do without side effects are not asked in a dry run', async () => {
    const admission = over({ ...hook(() => ({ allowed: true })), sideEffects: 'Some' });
    expect((await refusalFrom(admission.validate(aRequest({ dryRun: true })))).status).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: 'admission webhook "w.example.com" does not support dry run',
    });
    await admission.validate(aRequest());
  });

  test('may answer compressed', async () => {
    const zipped: Handler = ({ review }, answer) => {
      answer.setHeader('content-encoding', 'gzip');
      answer.end(gzipSync(JSON.stringify({ ...review, response: { uid: review.request.uid, allowed: true } })));
      return undefined;
    };
    await over(hook(zipped)).validate(aRequest());
  });

  test('that say NoneOnDryRun are told of the dry run', async () => {
    const before = server.received.length;
    await over(hook(() => ({ allowed: true }), { sideEffects: 'NoneOnDryRun' })).validate(aRequest({ dryRun: true }));
    expect(server.received.slice(before).map(({ review }) => review.request['dryRun'])).toEqual([true]);
  });

  test('of the older review version may answer without a uid', async () => {
    const beta = hook(() => ({ uid: '', allowed: true }), { admissionReviewVersions: ['v2', 'v1beta1', 'v1'] });
    await over(beta).validate(aRequest());
    expect(server.received.at(-1)?.review.apiVersion).toBe('admission.k8s.io/v1beta1');
  });

  test('are found through a service, by the name on its certificate', async () => {
    const names = [{ type: 'dns', value: 'guard.ops.svc' }] as const;
    const own = await startWebhookServer(await serverCertificate(names));
    own.handle('/check', () => ({ allowed: false, status: { message: 'reached' } }));
    const service = { namespace: 'ops', name: 'guard', path: '/check' };
    const clientConfig = { service, caBundle: Buffer.from(own.ca).toString('base64') };
    const configuration = validatingConfiguration('c', { ...aWebhook('w.example.com', '', ''), clientConfig });
    const asked: unknown[] = [];
    const admission = admissionOver(
      { [validatingKey]: [configuration] },
      {
        resolveService: (...args) => {
          asked.push(args);
          return { url: `${own.url}/check`, serverName: 'guard.ops.svc' };
        },
      },
    );
    expect((await refusalFrom(admission.validate(aRequest()))).message).toContain('reached');
    expect(asked).toEqual([['ops', 'guard', 443, '/check']]);
    expect(own.received[0]).toMatchObject({ path: '/check?timeout=10s', headers: { host: 'guard.ops.svc:443' } });
    admission.close();
    await own.close();
  });
});

const post = (path: string) => `failed to call webhook: Post "${path}?timeout=10s": `;

const failures: readonly [name: string, handler: Handler, reason: string | RegExp][] = [
  [
    'a wrong uid',
    () => ({ uid: 'other', allowed: true }),
    /^received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "other"$/,
  ],
  [
    'no response',
    ({ review }, answer) => {
      answer.end(JSON.stringify({ ...review, response: undefined }));
      return undefined;
    },
    'received invalid webhook response: webhook response was absent',
  ],
  [
    'a patch from a validating webhook',
    () => ({ allowed: true, patch: 'W10=', patchType: 'JSONPatch' }),
    'received invalid webhook response: validating webhook may not return response.patch',
  ],
  [
    'another kind',
    (_received, answer) => {
      answer.end('{"kind":"Pod","apiVersion":"v1"}');
      return undefined;
    },
    'failed to call webhook: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    'a response of no kind',
    ({ review }, answer) => {
      answer.end(JSON.stringify({ response: { uid: review.request.uid, allowed: true } }));
      return undefined;
    },
    'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
  ],
  [
    'a body that is not JSON',
    (_received, answer) => {
      answer.end('oops');
      return undefined;
    },
    /^failed to call webhook: couldn't get version\/kind; json parse error: json: cannot unmarshal string into Go value /,
  ],
  [
    'a body that breaks off',
    (_received, answer) => {
      answer.end('{"kind":');
      return undefined;
    },
    "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input",
  ],
  [
    'a warning that is no text',
    () => ({ allowed: true, warnings: [1] }),
    'failed to call webhook: json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string',
  ],
  [
    'a field of the wrong type',
    () => ({ allowed: 'yes' }),
    'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
  ],
  [
    'an empty body',
    (_received, answer) => {
      answer.setHeader('content-type', 'application/json');
      answer.end();
      return undefined;
    },
    'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
  ],
  [
    'a server error',
    (_received, answer) => {
      answer.writeHead(500, { 'content-type': 'text/plain' });
      answer.end('kaputt\n');
      return undefined;
    },
    'failed to call webhook: an error on the server ("kaputt") has prevented the request from succeeding',
  ],
  [
    'a path that is not there',
    (_received, answer) => {
      answer.writeHead(404);
      answer.end();
      return undefined;
    },
    'failed to call webhook: the server could not find the requested resource',
  ],
  [
    'a Status instead of an answer',
    (_received, answer) => {
      answer.writeHead(503, { 'content-type': 'application/json' });
      answer.end('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"starting"}');
      return undefined;
    },
    'failed to call webhook: starting',
  ],
  [
    'a connection that ends',
    (_received, answer) => {
      answer.destroy();
      return undefined;
    },
    /^failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/h\d+\?timeout=10s": EOF$/,
  ],
  [
    'a body that is not compressed as it says',
    (_received, answer) => {
      answer.setHeader('content-encoding', 'gzip');
      answer.end('{}');
      return undefined;
    },
    'failed to call webhook: unexpected error when reading response body. Please retry. Original error: gzip: invalid header',
  ],
  [
    'a body that swells without end',
    (_received, answer) => {
      answer.setHeader('content-encoding', 'gzip');
      answer.end(gzipSync(Buffer.alloc(17 * 1024 * 1024, ' ')));
      return undefined;
    },
    'failed to call webhook: unexpected error when reading response body. Please retry. Original error: the answer is larger than 16777216 bytes',
  ],
  [
    'a body that ends early',
    (_received, answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('{', () => answer.destroy());
      return undefined;
    },
    'failed to call webhook: unexpected error when reading response body. Please retry. Original error: unexpected EOF',
  ],
];

describe('a webhook that cannot be asked', () => {
  test.each(failures)('because of %s refuses with 500, or is passed over', async (_name, handler, reason) => {
    const refusal = await refusalFrom(over(hook(handler)).validate(aRequest()));
    const prefix = 'Internal error occurred: failed calling webhook "w.example.com": ';
    expect(refusal.status).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(refusal.message.slice(0, prefix.length)).toBe(prefix);
    if (typeof reason === 'string') expect(refusal.message.slice(prefix.length)).toBe(reason);
    else expect(refusal.message.slice(prefix.length)).toMatch(reason);
    await over(hook(handler, { failurePolicy: 'Ignore' })).validate(aRequest());
  });

  test('because nothing listens is a refused connection', async () => {
    const own = await startWebhookServer();
    await own.close();
    const refusal = await refusalFrom(over(aWebhook('w.example.com', `${own.url}/x/`, own.ca)).validate(aRequest()));
    expect(refusal.message).toContain(
      `${post(`${own.url}/x`)}dial tcp 127.0.0.1:${own.port}: connect: connection refused`,
    );
  });

  test('because its certificate is from another authority fails verification', async () => {
    const { ca } = await serverCertificate(loopback);
    const refusal = await refusalFrom(over(aWebhook('w.example.com', server.url, ca)).validate(aRequest()));
    expect(refusal.message).toContain(
      `${post(`${server.url}/`)}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
  });

  test('because its certificate is for another name says for which', async () => {
    const own = await startWebhookServer(await serverCertificate([{ type: 'ip', value: '10.0.0.1' }]));
    const refusal = await refusalFrom(over(aWebhook('w.example.com', own.url, own.ca)).validate(aRequest()));
    expect(refusal.message).toContain('x509: certificate is valid for 10.0.0.1, not 127.0.0.1');
    await own.close();
  });

  test('because its certificate names no address says so', async () => {
    const own = await startWebhookServer(await serverCertificate([{ type: 'dns', value: 'a.b' }]));
    const refusal = await refusalFrom(over(aWebhook('w.example.com', own.url, own.ca)).validate(aRequest()));
    expect(refusal.message).toContain(
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    );
    await own.close();
  });

  test('because it speaks plain HTTP says so', async () => {
    const own = createServer((_incoming, answer) => answer.end('hello'));
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const { port } = own.address() as AddressInfo;
    const refusal = await refusalFrom(
      over(aWebhook('w.example.com', `https://127.0.0.1:${port}`, server.ca)).validate(aRequest()),
    );
    expect(refusal.message).toContain('http: server gave HTTP response to HTTPS client');
    own.close();
  });

  test('because its certificate has expired says so', async () => {
    const own = await startWebhookServer(await serverCertificate(loopback, new Date('2021-01-01T00:00:00Z')));
    const refusal = await refusalFrom(over(aWebhook('w.example.com', own.url, own.ca)).validate(aRequest()));
    expect(refusal.message).toContain('x509: certificate has expired or is not yet valid');
    await own.close();
  });

  test('because the bundle holds no certificate is refused before any call', async () => {
    const refusal = await refusalFrom(over(aWebhook('w.example.com', server.url, 'garbage')).validate(aRequest()));
    expect(refusal.message).toContain('unable to load root certificates: unable to parse bytes as PEM block');
  });

  test('because its service is gone names the service', async () => {
    const service = { namespace: 'ops', name: 'guard' };
    const refusal = await refusalFrom(
      over({ ...aWebhook('w.example.com', '', ''), clientConfig: { service } }).validate(aRequest()),
    );
    expect(refusal.message).toContain(`${post('https://guard.ops.svc:443/')}service "guard" not found`);
  });

  test('because it is too slow runs into its own deadline', async () => {
    const clock = new VirtualClock();
    let arrived: () => void = () => undefined;
    const called = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const slow = hook(
      () => {
        arrived();
        return new Promise(() => undefined);
      },
      { timeoutSeconds: 3 },
    );
    const admission = admissionOver({ [validatingKey]: [validatingConfiguration('c', slow)] }, { clock });
    const refused = refusalFrom(admission.validate(aRequest()));
    await called;
    await clock.advance(3_000);
    expect((await refused).message).toMatch(/\?timeout=3s": context deadline exceeded$/);
  });

  test('because its answer never ends runs into the deadline, too', async () => {
    const clock = new VirtualClock();
    const admission = admissionOver(
      {
        [validatingKey]: [
          validatingConfiguration(
            'c',
            hook((_received, answer) => {
              answer.writeHead(200, { 'content-length': '100' });
              answer.write('{');
              return undefined;
            }),
          ),
        ],
      },
      { clock },
    );
    let settled = false;
    const refused = refusalFrom(admission.validate(aRequest())).finally(() => {
      settled = true;
    });
    while (!settled) await clock.advance(10);
    expect((await refused).message).toMatch(/context deadline exceeded$/);
  });

  test('because it knows no version of the review is never called', async () => {
    const refusal = await refusalFrom(
      over(hook(() => ({ allowed: true }), { admissionReviewVersions: ['v7'] })).validate(aRequest()),
    );
    expect(refusal.message).toContain(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { table } from '../../../../test/support/table.ts';
import { hostileJson, unchecked } from '../../../../test/support/unchecked.ts';
import type { Pod } from '../../../holdfast/src/api/pod.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../src/field-errors.ts';
import { type ContainerProbe, hasProbe, parseProbes } from '../../src/probes/probe.ts';

const key = 'holdfast.dev/disruption-probe';
const at = `metadata.annotations[${key}]`;

const usual = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
} as const;
const onTcp = { ...usual, handler: { kind: 'tcpSocket', port: 80 } } as const;

function pod(annotation: unknown, containers?: unknown): Pod {
  return unchecked({
    metadata: { name: 'p', ...(annotation === undefined ? {} : { annotations: { [key]: annotation } }) },
    spec: { ...(containers === undefined ? {} : { containers }) },
  });
}

/** A pod of one container `web` whose annotation is this probe. */
function probed(probe: unknown): Pod {
  return pod(JSON.stringify(probe), [{ name: 'web' }]);
}

interface Good {
  readonly name: string;
  readonly pod: Pod;
  readonly want: readonly ContainerProbe[];
}

interface Bad {
  readonly name: string;
  readonly pod: Pod;
  readonly want: readonly FieldError[];
}

function good({ pod, want }: Good): void {
  expect(parseProbes(pod)).toStrictEqual({ ok: true, value: want });
  expect(hasProbe(pod)).toBe(want.length > 0);
}

function bad({ pod, want }: Bad): void {
  expect(parseProbes(pod)).toEqual({ ok: false, errors: want });
}

describe('parseProbes on handlers', () => {
  table<Good>(
    [
      {
        name: 'fills in every default of httpGet',
        pod: probed({ httpGet: { port: 8080 } }),
        want: [
          {
            container: 'web',
            ...usual,
            handler: { kind: 'httpGet', path: '/', port: 8080, scheme: 'HTTP', httpHeaders: [] },
          },
        ],
      },
      {
        name: 'reads everything that httpGet can say',
        pod: probed({
          httpGet: {
            path: '/may-i-go?hard=1',
            port: 'http',
            scheme: 'HTTPS',
            host: 'example.com',
            httpHeaders: [{ name: 'X-Why', value: 'drain' }],
          },
        }),
        want: [
          {
            container: 'web',
            ...usual,
            handler: {
              kind: 'httpGet',
              path: '/may-i-go?hard=1',
              port: 'http',
              scheme: 'HTTPS',
              host: 'example.com',
              httpHeaders: [{ name: 'X-Why', value: 'drain' }],
            },
          },
        ],
      },
      {
        name: 'takes an empty path for the root, as Kubernetes does',
        pod: probed({ httpGet: { port: 1, path: '' } }),
        want: [
          {
            container: 'web',
            ...usual,
            handler: { kind: 'httpGet', path: '/', port: 1, scheme: 'HTTP', httpHeaders: [] },
          },
        ],
      },
      {
        name: 'reads tcpSocket with a host and the highest port',
        pod: probed({ tcpSocket: { port: 65_535, host: '10.0.0.1' } }),
        want: [{ container: 'web', ...usual, handler: { kind: 'tcpSocket', port: 65_535, host: '10.0.0.1' } }],
      },
      {
        name: 'reads grpc, whose service is empty by default',
        pod: probed({ grpc: { port: 9000 } }),
        want: [{ container: 'web', ...usual, handler: { kind: 'grpc', port: 9000, service: '' } }],
      },
      {
        name: 'reads the service of grpc',
        pod: probed({ grpc: { port: 9000, service: 'disruptable' } }),
        want: [{ container: 'web', ...usual, handler: { kind: 'grpc', port: 9000, service: 'disruptable' } }],
      },
      {
        name: 'reads exec',
        pod: probed({ exec: { command: ['sh', '-c', ''] } }),
        want: [{ container: 'web', ...usual, handler: { kind: 'exec', command: ['sh', '-c', ''] } }],
      },
      {
        name: 'reads every number',
        pod: probed({
          tcpSocket: { port: 80 },
          initialDelaySeconds: 2,
          periodSeconds: 5,
          timeoutSeconds: 4,
          successThreshold: 5,
          failureThreshold: 6,
        }),
        want: [
          {
            container: 'web',
            handler: onTcp.handler,
            initialDelaySeconds: 2,
            periodSeconds: 5,
            timeoutSeconds: 4,
            successThreshold: 5,
            failureThreshold: 6,
          },
        ],
      },
    ],
    good,
  );

  const badName = 'must be a port name: at most 15 of a-z, 0-9 and single -, with a letter';
  const noCommand = 'must name the program to run';
  table<Bad>(
    [
      {
        name: 'refuses a probe without a handler',
        pod: probed({ periodSeconds: 5 }),
        want: [required(at, 'must have one of httpGet, tcpSocket, grpc, exec')],
      },
      {
        name: 'refuses two handlers',
        pod: probed({ exec: { command: ['x'] }, tcpSocket: { port: 1 } }),
        want: [forbidden(`${at}.exec`, 'may not be given together with tcpSocket')],
      },
      {
        name: 'refuses a handler that is null',
        pod: probed({ tcpSocket: null }),
        want: [invalid(`${at}.tcpSocket`, null, 'must be an object')],
      },
      {
        name: 'refuses a field that a probe does not have',
        pod: probed({ tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 1 }),
        want: [
          forbidden(
            `${at}.terminationGracePeriodSeconds`,
            'is not one of httpGet, tcpSocket, grpc, exec, initialDelaySeconds, periodSeconds, timeoutSeconds, successThreshold, failureThreshold',
          ),
        ],
      },
      {
        name: 'refuses a misspelt field of a handler',
        pod: probed({ httpGet: { port: 1, Path: '/x' } }),
        want: [forbidden(`${at}.httpGet.Path`, 'is not one of path, port, scheme, host, httpHeaders')],
      },
      ...[0, 65_536, -1, 1.5, null, true].map((port) => ({
        name: `refuses the port ${port}`,
        pod: probed({ tcpSocket: { port } }),
        want: [invalid(`${at}.tcpSocket.port`, port, 'must be between 1 and 65535')],
      })),
      ...['8080', '', 'HTTP', 'a--b', '-a', 'a-', 'a_b', 'abcdefghijklmnop', 'http\n'].map((port) => ({
        name: `refuses the port name ${JSON.stringify(port)}`,
        pod: probed({ httpGet: { port } }),
        want: [invalid(`${at}.httpGet.port`, port, badName)],
      })),
      {
        name: 'refuses a missing port',
        pod: probed({ tcpSocket: {} }),
        want: [required(`${at}.tcpSocket.port`, 'must be a port number or name')],
      },
      {
        name: 'refuses a named port of grpc',
        pod: probed({ grpc: { port: 'grpc' } }),
        want: [invalid(`${at}.grpc.port`, 'grpc', 'must be a number: a gRPC probe knows no named ports')],
      },
      {
        name: 'refuses a service that is a number',
        pod: probed({ grpc: { port: 1, service: 1 } }),
        want: [invalid(`${at}.grpc.service`, 1, 'must be a string')],
      },
      {
        name: 'refuses an unknown scheme',
        pod: probed({ httpGet: { port: 1, scheme: 'http' } }),
        want: [notSupported(`${at}.httpGet.scheme`, 'http', ['HTTP', 'HTTPS'])],
      },
      {
        name: 'refuses a line break in the path',
        pod: probed({ httpGet: { port: 1, path: '/\r\nHost: x' } }),
        want: [invalid(`${at}.httpGet.path`, '/\r\nHost: x', 'must not contain control characters')],
      },
      {
        name: 'refuses a host that is a number',
        pod: probed({ tcpSocket: { port: 1, host: 1 } }),
        want: [invalid(`${at}.tcpSocket.host`, 1, 'must be a string')],
      },
      {
        name: 'refuses headers that are a map',
        pod: probed({ httpGet: { port: 1, httpHeaders: { a: 'b' } } }),
        want: [invalid(`${at}.httpGet.httpHeaders`, { a: 'b' }, 'must be a list')],
      },
      {
        name: 'refuses whatever is wrong with a header',
        pod: probed({ httpGet: { port: 1, httpHeaders: ['x', { name: 'a b', value: 'c\nd', extra: 1 }] } }),
        want: [
          invalid(`${at}.httpGet.httpHeaders[0]`, 'x', 'must be an object'),
          forbidden(`${at}.httpGet.httpHeaders[1].extra`, 'is not one of name, value'),
          invalid(`${at}.httpGet.httpHeaders[1].value`, 'c\nd', 'must not contain control characters'),
          invalid(`${at}.httpGet.httpHeaders[1].name`, 'a b', 'must consist of letters, digits or -'),
        ],
      },
      {
        name: 'refuses an empty command',
        pod: probed({ exec: { command: [] } }),
        want: [required(`${at}.exec.command`, noCommand)],
      },
      {
        name: 'refuses a missing command',
        pod: probed({ exec: {} }),
        want: [required(`${at}.exec.command`, noCommand)],
      },
      {
        name: 'refuses a command that is a string',
        pod: probed({ exec: { command: 'ls' } }),
        want: [invalid(`${at}.exec.command`, 'ls', 'must be a list')],
      },
      {
        name: 'names the argument that is no string',
        pod: probed({ exec: { command: ['sleep', 1] } }),
        want: [invalid(`${at}.exec.command[1]`, 1, 'must be a string')],
      },
      ...(['periodSeconds', 'timeoutSeconds', 'successThreshold', 'failureThreshold'] as const).map((name) => ({
        name: `refuses ${name} 0`,
        pod: probed({ tcpSocket: { port: 1 }, [name]: 0 }),
        want: [invalid(`${at}.${name}`, 0, 'must be a 32-bit integer greater than or equal to 1')],
      })),
      ...[
        { periodSeconds: 10, timeoutSeconds: 11, longest: 10 },
        { timeoutSeconds: 3_600, longest: 10 },
        { periodSeconds: 3_600, timeoutSeconds: 61, longest: 60 },
      ].map(({ longest, ...times }) => ({
        name: `[A4] refuses ${JSON.stringify(times)}, which would hold up the probes of others`,
        pod: probed({ tcpSocket: { port: 1 }, ...times }),
        want: [
          invalid(
            `${at}.timeoutSeconds`,
            times.timeoutSeconds,
            `must be at most periodSeconds, and at most 60: here ${longest}`,
          ),
        ],
      })),
      ...[-1, 0.5, '5', null, 2_147_483_648].map((value) => ({
        name: `refuses initialDelaySeconds ${JSON.stringify(value)}`,
        pod: probed({ tcpSocket: { port: 1 }, initialDelaySeconds: value }),
        want: [invalid(`${at}.initialDelaySeconds`, value, 'must be a 32-bit integer greater than or equal to 0')],
      })),
      {
        name: 'says everything that is wrong at once',
        pod: probed({ tcpSocket: { port: 0 }, periodSeconds: 0, x: 1 }),
        want: [
          forbidden(
            `${at}.x`,
            'is not one of httpGet, tcpSocket, grpc, exec, initialDelaySeconds, periodSeconds, timeoutSeconds, successThreshold, failureThreshold',
          ),
          invalid(`${at}.periodSeconds`, 0, 'must be a 32-bit integer greater than or equal to 1'),
          invalid(`${at}.tcpSocket.port`, 0, 'must be between 1 and 65535'),
        ],
      },
    ],
    (row) => {
      bad(row);
      expect(hasProbe(row.pod)).toBe(true);
    },
  );
});

describe('parseProbes on containers', () => {
  const tcp = { tcpSocket: { port: 80 } };
  const two = [{ name: 'web' }, { name: 'proxy' }];
  table<Good>(
    [
      { name: 'finds none in a pod that has none', pod: pod(undefined, two), want: [] },
      { name: 'finds none in a pod without a spec', pod: { metadata: { name: 'p' } }, want: [] },
      {
        name: 'takes null in the spec for none',
        pod: pod(undefined, [{ name: 'web', disruptionProbe: null }]),
        want: [],
      },
      {
        name: 'gives a probe without a name to the first container',
        pod: pod('tcpSocket: {port: 80}', two),
        want: [{ container: 'web', ...onTcp }],
      },
      {
        name: 'names no container where the pod lists none',
        pod: pod('tcpSocket: {port: 80}'),
        want: [onTcp],
      },
      {
        name: 'reads a map, in the order of the containers',
        pod: pod(JSON.stringify({ proxy: tcp, web: tcp }), two),
        want: [
          { container: 'web', ...onTcp },
          { container: 'proxy', ...onTcp },
        ],
      },
      {
        name: 'takes any container for a pod that lists none',
        pod: pod(JSON.stringify({ web: tcp })),
        want: [{ container: 'web', ...onTcp }],
      },
      {
        name: 'reads YAML',
        pod: pod('proxy:\n  # ask the proxy\n  tcpSocket:\n    port: 80\n  periodSeconds: 5\n', two),
        want: [{ container: 'proxy', ...onTcp, periodSeconds: 5 }],
      },
      {
        name: 'reads the field of a container',
        pod: pod(undefined, [{ name: 'web' }, { name: 'proxy', disruptionProbe: tcp }]),
        want: [{ container: 'proxy', ...onTcp }],
      },
      {
        name: 'reads both, for different containers',
        pod: pod(JSON.stringify({ web: tcp }), [{ name: 'web' }, { name: 'proxy', disruptionProbe: tcp }]),
        want: [
          { container: 'web', ...onTcp },
          { container: 'proxy', ...onTcp },
        ],
      },
    ],
    good,
  );

  const shape = 'must be a probe, or a map from container name to probe';
  table<Bad>(
    [
      {
        name: 'refuses a container that the pod does not have',
        pod: pod(JSON.stringify({ wbe: tcp }), two),
        want: [invalid(`${at}.wbe`, 'wbe', 'the pod has no container of this name')],
      },
      {
        name: 'refuses two probes of one container',
        pod: pod(JSON.stringify(tcp), [{ name: 'web', disruptionProbe: tcp }]),
        want: [
          forbidden('spec.containers[0].disruptionProbe', `the annotation ${key} also has a probe for this container`),
        ],
      },
      {
        name: 'says where in a map it is wrong',
        pod: pod(JSON.stringify({ web: tcp, proxy: { grpc: { port: 0 } } }), two),
        want: [invalid(`${at}.proxy.grpc.port`, 0, 'must be between 1 and 65535')],
      },
      {
        name: 'refuses a map whose value is no probe',
        pod: pod(JSON.stringify({ web: 80 }), two),
        want: [invalid(`${at}.web`, 80, 'must be an object')],
      },
      {
        name: 'says where in the spec it is wrong',
        pod: pod(undefined, [{ name: 'web' }, { name: 'proxy', disruptionProbe: 'tcp' }]),
        want: [invalid('spec.containers[1].disruptionProbe', 'tcp', 'must be an object')],
      },
      {
        name: 'collects what is wrong in both places',
        pod: pod('[]', [{ name: 'web', disruptionProbe: {} }]),
        want: [
          required('spec.containers[0].disruptionProbe', 'must have one of httpGet, tcpSocket, grpc, exec'),
          invalid(at, '[]', shape),
        ],
      },
      { name: 'refuses an empty annotation', pod: pod('', two), want: [invalid(at, '', shape)] },
      { name: 'refuses the word null', pod: pod('null', two), want: [invalid(at, 'null', shape)] },
      { name: 'refuses a sentence', pod: pod('port 80', two), want: [invalid(at, 'port 80', shape)] },
      { name: 'refuses an empty map', pod: pod('{}', two), want: [required(at, shape)] },
      { name: 'refuses a number', pod: pod(5, two), want: [invalid(at, 5, 'must be a string')] },
      {
        name: 'refuses containers that are a map',
        pod: pod(undefined, {}),
        want: [invalid('spec.containers', {}, 'must be a list')],
      },
      {
        name: 'refuses a container that is null, and one without a name',
        pod: pod(undefined, [null, {}]),
        want: [
          invalid('spec.containers[0]', null, 'must be an object'),
          invalid('spec.containers[1].name', undefined, 'must be a string'),
        ],
      },
      {
        name: 'refuses a spec that is a string',
        pod: unchecked({ metadata: { name: 'p' }, spec: 'x' }),
        want: [invalid('spec', 'x', 'must be an object')],
      },
      {
        name: 'refuses a pod without metadata',
        pod: unchecked({}),
        want: [required('metadata', 'must be an object')],
      },
    ],
    bad,
  );
});

describe('parseProbes on text', () => {
  function reasons(text: string): readonly string[] {
    const result = parseProbes(pod(text, [{ name: 'web' }]));
    return result.ok ? [] : result.errors.map((error) => `${error.field}: ${error.detail}`);
  }

  table<{ readonly name: string; readonly text: string; readonly want: RegExp }>(
    [
      { name: 'refuses what is neither JSON nor YAML', text: '{"httpGet": ', want: /cannot be read as JSON or YAML: / },
      { name: 'refuses a tab as indentation', text: 'httpGet:\n\tport: 80', want: /cannot be read as JSON or YAML: / },
      { name: 'refuses a key that comes twice', text: 'exec: {command: [a]}\nexec: {command: [b]}', want: /unique/ },
      { name: 'refuses two documents', text: 'tcpSocket: {port: 1}\n---\ntcpSocket: {port: 2}', want: /documents/ },
      { name: 'refuses a tag that it does not know', text: 'tcpSocket: !port {port: 1}', want: /tag/ },
      { name: 'refuses an alias', text: 'a: &p {tcpSocket: {port: 1}}\nb: *p', want: /\.b: must not use aliases$/ },
      { name: 'refuses an alias as a key', text: '&a x: {}\n*a : {}', want: /must have strings as keys/ },
      {
        name: 'refuses a map as a key',
        text: '{{a: b}: c}',
        want: /must have strings as keys; put quotes around them$/,
      },
      { name: 'refuses a number as a key', text: '1: {}', want: /must have strings as keys; put quotes around them$/ },
      {
        name: 'refuses more levels than a probe can have',
        text: `${'['.repeat(17)}${']'.repeat(17)}`,
        want: /must not be nested deeper than 16 levels$/,
      },
      {
        name: 'refuses more levels of YAML than a probe can have',
        text: `${'- '.repeat(17)}x`,
        want: /must not be nested deeper than 16 levels$/,
      },
      ...['[', '{', '["a":', '- ', '? ', ': ', '&a ', '!a ', '*a '].map((piece) => ({
        name: `refuses YAML that goes down by ${JSON.stringify(piece)} until the process ends`,
        text: `[${piece.repeat(3_000)}`,
        want: /must be JSON, or YAML with at most 256 of \[ \{ : \? & ! \* -, has \d+ of them$/,
      })),
      {
        name: 'refuses more than 16 KiB',
        text: `# ${'x'.repeat(16_382)}\n`,
        want: /must be at most 16384 bytes, has 16385/,
      },
      {
        name: 'counts bytes, not characters',
        text: `# ${'ü'.repeat(8_192)}`,
        want: /must be at most 16384 bytes, has 16386/,
      },
    ],
    ({ text, want }) => {
      const found = reasons(text);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(want);
      expect(found[0]?.startsWith(at)).toBe(true);
      expect(hasProbe(pod(text))).toBe(true);
    },
  );

  it('accepts JSON with as many brackets as it likes', () => {
    const command = ['sh', '-c', '[ -f /tmp/a ] || { exit 1; }\n'.repeat(400)];
    expect(reasons(JSON.stringify({ exec: { command } }))).toEqual([]);
  });

  it('accepts 16 KiB', () => {
    const probe = 'tcpSocket: {port: 80}\n';
    expect(reasons(`${probe}#${'x'.repeat(16_384 - probe.length - 1)}`)).toEqual([]);
  });

  it('reads the same from JSON and from YAML', () => {
    const handler = fc.oneof(
      fc.record({
        httpGet: fc.record({ port: fc.integer({ min: 1, max: 65_535 }), path: fc.constantFrom('/', '/a b', '/yes') }),
      }),
      fc.record({
        exec: fc.record({ command: fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 3 }) }),
      }),
    );
    const probe = fc
      .tuple(handler, fc.integer({ min: 1, max: 60 }))
      .map(([one, periodSeconds]) => ({ ...one, periodSeconds }));
    fc.assert(
      fc.property(probe, (source) => {
        const fromJson = parseProbes(probed(source));
        expect(fromJson.ok).toBe(true);
        expect(parseProbes(pod(stringify(source), [{ name: 'web' }]))).toEqual(fromJson);
        expect(parseProbes(pod(undefined, [{ name: 'web', disruptionProbe: source }]))).toEqual(fromJson);
      }),
    );
  });
});

describe('parseProbes on text made to hurt', () => {
  const pieces = [
    '[',
    ']',
    '{',
    '}',
    '- ',
    '? ',
    'a: ',
    ': ',
    '"a":',
    '&a ',
    '*a ',
    '!a ',
    '!!map ',
    '|\n',
    '>-\n',
    '\n',
    ' ',
    '\t',
    '"',
    "'",
    ',',
    '#',
    '%',
    '---\n',
    '\r',
    '<<: ',
  ];
  it('ends soon, and without an exception', () => {
    const piece = fc.constantFrom(...pieces);
    const repeated = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 128 }));
    const text = fc
      .array(repeated, { maxLength: 4 })
      .map((runs) => runs.map(([run, times]) => run.join('').repeat(times)).join(''));
    fc.assert(
      fc.property(text, (hostile) => {
        const result = parseProbes(pod(hostile));
        if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('hasProbe', () => {
  table(
    [
      { name: 'sees an annotation, however empty', pod: pod(''), want: true },
      { name: 'sees an annotation of the wrong type', pod: pod(null), want: true },
      {
        name: 'sees the field of the second container',
        pod: pod(undefined, [{ name: 'a' }, { disruptionProbe: 0 }]),
        want: true,
      },
      { name: 'sees none where there is none', pod: pod(undefined, [{ name: 'a' }]), want: false },
      {
        name: 'takes null in the spec for none',
        pod: pod(undefined, [{ name: 'a', disruptionProbe: null }]),
        want: false,
      },
      { name: 'sees none in what is no pod', pod: unchecked<Pod>(null), want: false },
    ],
    ({ pod, want }) => expect(hasProbe(pod)).toBe(want),
  );
});

describe('parseProbes on anything at all', () => {
  const words = [
    'httpGet',
    'tcpSocket',
    'grpc',
    'exec',
    'port',
    'path',
    'host',
    'scheme',
    'httpHeaders',
    'name',
    'value',
  ];
  const more = [
    'command',
    'periodSeconds',
    'web',
    'metadata',
    'annotations',
    'spec',
    'containers',
    'disruptionProbe',
    key,
  ];
  const any = hostileJson([...words, ...more]);

  it('never throws, and a pod with something to say about has a probe', () => {
    const text = fc.oneof(
      fc.string(),
      any.map((value) => JSON.stringify(value) ?? ''),
      fc.string({ unit: 'binary' }),
    );
    const containers = fc.array(fc.record({ name: fc.constantFrom('web', 'exec'), disruptionProbe: any }), {
      maxLength: 2,
    });
    const source = fc.oneof(
      any,
      fc.tuple(text, containers).map(([annotation, list]) => pod(annotation, list)),
    );
    fc.assert(
      fc.property(source, (json) => {
        const result = parseProbes(unchecked(json));
        const has = hasProbe(unchecked(json));
        if (result.ok) expect(has).toBe(result.value.length > 0);
        else expect(result.errors.length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

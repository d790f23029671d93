import { expect, test } from 'vitest';
import { schemaFor } from '../../src/kinds/schema-link.ts';
import { decodeProblem } from '../../src/schema/decode.ts';

const head = 'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal';

test.each<[string, unknown, string | undefined]>([
  [
    'text for an integer',
    { spec: { terminationGracePeriodSeconds: 'x' } },
    `${head} string into Go struct field Pod.spec.terminationGracePeriodSeconds of type int64`,
  ],
  [
    'a number for a label',
    { metadata: { labels: { a: 1 } } },
    `${head} number into Go struct field Pod.metadata.labels of type string`,
  ],
  [
    'an object for a list',
    { spec: { containers: {} } },
    `${head} object into Go struct field Pod.spec.containers of type []struct`,
  ],
  ['a list for an object', { spec: [] }, `${head} array into Go struct field Pod.spec of type struct`],
  [
    'text for a boolean in a list',
    { spec: { containers: [{ stdin: 'true' }] } },
    `${head} string into Go struct field Pod.spec.containers.stdin of type bool`,
  ],
  [
    'a fraction',
    { spec: { priority: 1.5 } },
    `${head} number 1.5 into Go struct field Pod.spec.priority of type int32`,
  ],
  [
    'an integer that does not fit',
    { spec: { priority: 2 ** 40 } },
    `${head} number into Go struct field Pod.spec.priority of type int32`,
  ],
  [
    'a boolean for a quantity',
    { spec: { containers: [{ resources: { limits: { cpu: true } } }] } },
    `${head} bool into Go struct field Pod.spec.containers.resources.limits of type string`,
  ],
  ['nothing but a list', [], `${head} array into Go value of type struct`],
  [
    'quantities may be numbers, ports both, nulls anything',
    {
      spec: {
        containers: [
          { resources: { limits: { cpu: 1, memory: '1Gi' } }, readinessProbe: { httpGet: { port: 'http' } } },
        ],
        nodeName: null,
      },
    },
    undefined,
  ],
])('%s', (_, pod, expected) => {
  const schema = schemaFor('', 'v1', 'Pod');
  expect(schema && decodeProblem(pod, schema, 'Pod', 'v1')).toBe(expected);
});

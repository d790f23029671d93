import { expect, test } from 'vitest';
import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { updateOf } from './pod-updates.ts';

function pod(image: string, memory: string, cpu: string): KubeObject {
  const resources = { requests: { memory, cpu } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'shop' },
    spec: { containers: [{ name: 'main', image, resources }] },
    status: { phase: 'Running', containerStatuses: [{ restartCount: 2 }] },
  };
}

test('the judge takes another image and other memory for restarts, and other processors for nothing', () => {
  const before = pod('app:1', '64Mi', '100m');
  const restart = { kind: 'restart', restarts: 2 };
  expect(updateOf(before, pod('app:2', '64Mi', '100m'))).toEqual(restart);
  expect(updateOf(before, pod('app:1', '80Mi', '100m'))).toEqual(restart);
  expect(updateOf(before, pod('app:1', '64Mi', '80m'))).toBeUndefined();
});

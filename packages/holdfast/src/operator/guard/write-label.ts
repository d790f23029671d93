import type { Namespace } from '@holdfast/base/meta';
import { operatorName } from '../../api/installation-names.ts';
import { label } from '../../api/names.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type Outcome, rejected } from '../../kube/outcome/failure.ts';
import { guardedValue } from '../../observe/guard/guard-mode.ts';
import { resources } from '../../observe/resources.ts';

/**
 * Sets or removes the guard label, and touches nothing else. It fails with a conflict when the namespace changed since it was
 * seen: a person who just set `disabled` wins.
 */
export function writeGuardLabel(
  client: KubeClient,
  { metadata: { name, uid, resourceVersion } }: Namespace,
  change: 'enable' | 'remove',
  deadlineMs: number,
): Promise<Outcome<unknown>> {
  if (uid === undefined || resourceVersion === undefined) {
    return Promise.resolve(rejected('a namespace without uid and resourceVersion cannot be changed safely'));
  }
  const labels = { [label.guard]: change === 'enable' ? guardedValue : null };
  const body = { metadata: { uid, resourceVersion, labels } };
  return client.patch(
    resources.namespaces,
    { name },
    { type: 'merge', body },
    { deadlineMs, fieldManager: operatorName },
  );
}

import { type Fields, isObject } from '@holdfast/base/json';
import { pubGroup } from '../../api/pub/pub.ts';
import type { KindName } from '../../kube/discovery/discovery.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import { everywhere, only } from '../../observe/once/scope.ts';
import { withSession } from '../live/session.ts';
import type { NamedKind } from './complete.ts';

const kinds: Readonly<Record<NamedKind, KindName>> = {
  namespace: { group: '', kind: 'Namespace' },
  pod: { group: '', kind: 'Pod' },
  node: { group: '', kind: 'Node' },
  pdb: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
  pub: { group: pubGroup, kind: 'PodUnavailableBudget' },
};

/** A person who presses Tab does not wait longer. */
const patienceMs = 2_000;

export async function namesFromCluster(
  kind: NamedKind,
  flags: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { '--kubeconfig': kubeconfig, '--context': context, '--namespace': namespace } = flags;
  const access = { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
  return withSession({ ...access, requestTimeout: patienceMs }, async (session) => {
    const isElsewhere = kind === 'namespace' || kind === 'node';
    const scope = isElsewhere ? everywhere : only(namespace ?? session.namespace);
    const read = await new KindReader(session).list({ kind: kinds[kind], scope, project: () => nameOf });
    return read.kind === 'read' ? read.items : [];
  });
}

function nameOf({ metadata }: Fields): string {
  return isObject(metadata) ? String(metadata['name']) : '';
}

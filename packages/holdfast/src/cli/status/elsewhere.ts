import type { Fields } from '@holdfast/base/json';
import { isObject } from '@holdfast/base/json';
import { pubGroup } from '../../api/pub/pub.ts';
import type { KindReader } from '../../observe/once/kind-reader.ts';
import { everywhere } from '../../observe/once/scope.ts';
import { resources } from '../../observe/resources.ts';

/** Namespaces that have budgets, as far as the user may list them in the whole cluster. */
export async function namespacesWithBudgets(reader: KindReader): Promise<readonly string[]> {
  const pdbs = await reader.listResource(resources.pdbs, everywhere, namespaceOf);
  const kind = { group: pubGroup, kind: 'PodUnavailableBudget' };
  const pubs = await reader.list({ kind, scope: everywhere, project: () => namespaceOf });
  const found = [pdbs, pubs].flatMap((read) => (read.kind === 'read' ? read.items : []));
  return [...new Set(found)].sort();
}

function namespaceOf({ metadata }: Fields): string {
  return isObject(metadata) ? String(metadata['namespace']) : '';
}

import type { ResourceName } from '../../../kube/client/client.ts';
import type { KindReader, Read } from '../../../observe/once/kind-reader.ts';
import { readNode, readNodes, type SeenNode } from '../../../observe/once/nodes.ts';
import { Problem, problemOf } from '../../../observe/problem.ts';
import type { Session } from '../../../observe/session.ts';
import { noSuchNodes } from '../../no-nodes.ts';

const nodes: ResourceName = { group: '', version: 'v1', plural: 'nodes', namespaced: false };

/** The nodes that are meant: by name, or by their labels. */
export async function findNodes(
  reader: KindReader,
  names: readonly string[],
  selector: string | undefined,
): Promise<readonly SeenNode[]> {
  if (selector !== undefined) return listed(await readNodes(reader, selector));
  const found: SeenNode[] = [];
  for (const name of new Set(names)) {
    const node = await findNode(reader, name);
    if (node === undefined) throw noSuchNodes([name]);
    found.push(node);
  }
  return found;
}

/** Undefined: it does not exist. */
export async function findNode(reader: KindReader, name: string): Promise<SeenNode | undefined> {
  const read = await readNode(reader, name);
  if (read.kind === 'denied') throw new Problem(`node ${name} cannot be read: ${read.why}`);
  return read.kind === 'absent' ? undefined : read.object;
}

function listed(read: Read<SeenNode>): readonly SeenNode[] {
  if (read.kind === 'read') return read.items;
  throw new Problem(`nodes cannot be read: ${read.kind === 'denied' ? read.why : 'the server has none'}`);
}

/** New pods go elsewhere from now on. */
export async function cordon({ client, call }: Session, { name }: SeenNode): Promise<void> {
  const patch = { type: 'strategic', body: { spec: { unschedulable: true } } } as const;
  const done = await client.patch(nodes, { name }, patch, { ...call, fieldManager: 'holdfast-drain' });
  if (!done.ok) throw problemOf(done.failure, `cannot cordon node ${name}`);
}

import type { KindReader, Read } from '../../../observe/once/kind-reader.ts';
import { readNode, readNodes, type SeenNode } from '../../../observe/once/nodes.ts';
import { Problem, problemOf } from '../../../observe/problem.ts';
import { resources } from '../../../observe/resources.ts';
import type { Session } from '../../../observe/session.ts';
import { noSuchNodes } from '../../no-nodes.ts';

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
export function cordon(session: Session, node: SeenNode): Promise<void> {
  return setUnschedulable(session, node, true);
}

export function uncordon(session: Session, node: SeenNode): Promise<void> {
  return setUnschedulable(session, node, false);
}

async function setUnschedulable({ client, call }: Session, { name }: SeenNode, unschedulable: boolean): Promise<void> {
  const patch = { type: 'strategic', body: { spec: { unschedulable } } } as const;
  const done = await client.patch(resources.nodes, { name }, patch, { ...call, fieldManager: 'holdfast-drain' });
  if (!done.ok) throw problemOf(done.failure, `cannot ${unschedulable ? 'cordon' : 'uncordon'} node ${name}`);
}

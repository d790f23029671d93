import { systemUser } from '../auth/user.ts';
import type { ControlPlane } from '../control-plane.ts';
import { isApiError } from '../errors.ts';
import { createNodes } from '../nodes/create-nodes.ts';

/** Simulated nodes, `node-1` to `node-COUNT`. Those that are there already stay as they are. */
export async function addNodes(plane: ControlPlane, count: number): Promise<void> {
  const client = plane.clientFor(systemUser, 'kubelet');
  for (const node of createNodes(count)) {
    try {
      await client.create('nodes', node);
    } catch (error) {
      if (!isApiError(error, 409)) throw error;
    }
  }
}

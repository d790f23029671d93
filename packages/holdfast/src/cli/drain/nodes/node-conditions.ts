import type { KubeClient, ResourceName } from '../../../kube/client/client.ts';
import type { Outcome } from '../../../kube/outcome/failure.ts';
import { type Clock, timestamp } from '../../../kube/time/clock.ts';

/** How far the drain of a node has come, for tools that watch nodes. */
export type DrainStage = 'draining' | 'drained' | 'stopped';

interface NodeCondition {
  readonly type: 'DrainInProgress' | 'Drained';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastHeartbeatTime: string;
  readonly lastTransitionTime: string;
}

const words: Readonly<Record<DrainStage, { readonly reason: string; readonly message: string }>> = {
  draining: { reason: 'Draining', message: 'holdfast drain evicts the pods of this node' },
  drained: { reason: 'Drained', message: 'holdfast drain has evicted the pods of this node' },
  stopped: { reason: 'DrainStopped', message: 'holdfast drain ended before the pods of this node were gone' },
};

/** The conditions that Kubernetes names for it (KEP-5683). Conditions are free text to API servers: any version takes them. */
function conditionsOf(stage: DrainStage, nowMs: number): readonly NodeCondition[] {
  const at = timestamp(nowMs);
  const times = { lastHeartbeatTime: at, lastTransitionTime: at };
  return [
    { type: 'DrainInProgress', status: stage === 'draining' ? 'True' : 'False', ...words[stage], ...times },
    { type: 'Drained', status: stage === 'drained' ? 'True' : 'False', ...words[stage], ...times },
  ];
}

const gone = (['DrainInProgress', 'Drained'] as const).map((type) => ({ $patch: 'delete', type }));

const nodes: ResourceName = { group: '', version: 'v1', plural: 'nodes', namespaced: false };

/** Also after Ctrl-C: so long a node may wait to be told that its drain has ended. */
const writeMs = 5_000;

type PatchClient = Pick<KubeClient, 'patch'>;

export function showStage(
  client: PatchClient,
  clock: Clock,
  node: string,
  stage: DrainStage,
): Promise<Outcome<unknown>> {
  return writeConditions(client, node, conditionsOf(stage, clock.now()));
}

/** The node is in service again. */
export function removeStage(client: PatchClient, node: string): Promise<Outcome<unknown>> {
  return writeConditions(client, node, gone);
}

function writeConditions(client: PatchClient, name: string, conditions: readonly object[]): Promise<Outcome<unknown>> {
  const patch = { type: 'strategic', body: { status: { conditions } } } as const;
  const options = { deadlineMs: writeMs, fieldManager: 'holdfast-drain' };
  return client.patch(nodes, { name, subresource: 'status' }, patch, options);
}

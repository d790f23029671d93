import type { KubeClient } from '../../../kube/client/client.ts';
import type { Outcome } from '../../../kube/outcome/failure.ts';
import { type Clock, timestamp } from '../../../kube/time/clock.ts';
import { resources } from '../../../observe/resources.ts';
import type { Session } from '../../../observe/session.ts';

/** How far the drain of a node has come, for tools that watch nodes. */
type DrainStage = 'draining' | 'drained' | 'stopped';

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

/** Also after Ctrl-C: so long a node may wait to be told that its drain has ended. */
const writeMs = 5_000;

type PatchClient = Pick<KubeClient, 'patch'>;

function showStage(client: PatchClient, clock: Clock, node: string, stage: DrainStage): Promise<Outcome<unknown>> {
  return writeConditions(client, node, conditionsOf(stage, clock.now()));
}

/** The node is in service again. */
export function removeStage(client: PatchClient, node: string): Promise<Outcome<unknown>> {
  return writeConditions(client, node, gone);
}

function writeConditions(client: PatchClient, name: string, conditions: readonly object[]): Promise<Outcome<unknown>> {
  const patch = { type: 'strategic', body: { status: { conditions } } } as const;
  const options = { deadlineMs: writeMs, fieldManager: 'holdfast-drain' };
  return client.patch(resources.nodes, { name, subresource: 'status' }, patch, options);
}

/**
 * Shows on the nodes how far their drain has come. A drain does not wait for it and does not fail by it: it is for other tools, and a user may have no
 * right to write it.
 */
export class DrainStages {
  readonly #session: Session;
  readonly #warn: (line: string) => void;
  /** One node's stages are written one after the other. */
  readonly #last = new Map<string, Promise<void>>();
  #warned = false;

  constructor(session: Session, warn: (line: string) => void) {
    this.#session = session;
    this.#warn = warn;
  }

  show(node: string, stage: DrainStage): void {
    const before = this.#last.get(node) ?? Promise.resolve();
    this.#last.set(
      node,
      before.then(() => this.#write(node, stage)),
    );
  }

  async written(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  async #write(node: string, stage: DrainStage): Promise<void> {
    const { client, clock } = this.#session;
    const done = await showStage(client, clock, node, stage);
    if (done.ok || this.#warned) return;
    this.#warned = true;
    this.#warn(
      `warning: other tools do not see this drain: the conditions of node ${node} were not written: ${done.failure.message}`,
    );
  }
}

import type { Client } from '../../client.ts';
import { EventRecorder } from '../../controllers/common/events.ts';
import type { PodObject } from '../../controllers/common/workloads.ts';
import type { ControllerContext } from '../../controllers/controller.ts';
import type { Note } from './pod-state.ts';

export interface PodNotesOptions {
  /** False: only warnings are written. */
  readonly lifecycleEvents: boolean;
  clientForNode(node: string): Client;
}

/** Events about pods, each in the name of the node that it happened on. */
export class PodNotes {
  readonly #context: ControllerContext;
  readonly #options: PodNotesOptions;
  readonly #recorders = new Map<string, EventRecorder>();

  constructor(context: ControllerContext, options: PodNotesOptions) {
    this.#context = context;
    this.#options = options;
  }

  write(pod: PodObject, node: string, notes: readonly Note[]): void {
    for (const { type, reason, message } of notes) {
      if (type === 'Normal' && !this.#options.lifecycleEvents) continue;
      this.#recorder(node).event(pod, type, reason, message);
    }
  }

  #recorder(node: string): EventRecorder {
    const known = this.#recorders.get(node);
    if (known) return known;
    const recorder = new EventRecorder(this.#context, this.#options.clientForNode(node), 'kubelet');
    this.#recorders.set(node, recorder);
    return recorder;
  }
}

import type { Client } from '../../client.ts';
import { keyOf, objectKey, splitKey } from '../../objects.ts';
import type { View, ViewEvent } from '../../view.ts';
import { isFinishedPod } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';
import { podGroupNameOf, podGroups, protectionFinalizer, waitsForPods } from './pod-group.ts';

const name = 'podgroup-protection-controller';

/** Lets a pod group that is being deleted go as soon as none of its pods is running or going to. */
export function startPodGroupProtectionController(context: ControllerContext): Controller {
  const { view } = context;
  const client = context.clientFor(name);
  const members = new Members();
  const reconciler = new Reconciler(context, {
    name,
    async reconcile(key) {
      if (!members.any(key)) await letGo(view, client, key);
      return undefined;
    },
  });
  const watches = [
    view.watch('pods', (event) => {
      const left = members.see(event);
      if (left !== undefined) reconciler.add(left);
    }),
    view.watch(podGroups, ({ type, object }) => {
      if (type !== 'DELETED' && waitsForPods(object)) reconciler.add(keyOf(object));
    }),
  ];
  return {
    stop() {
      for (const watch of watches) watch.stop();
      reconciler.stop();
    },
  };
}

async function letGo(view: View, client: Client, key: string): Promise<void> {
  const { namespace, name } = splitKey(key);
  const group = view.get(podGroups, namespace, name);
  if (group === undefined || !waitsForPods(group)) return;
  const finalizers = (group.metadata.finalizers ?? []).filter((one) => one !== protectionFinalizer);
  await client.update(podGroups, { ...group, metadata: { ...group.metadata, finalizers } });
}

/** Pods that have not finished, by the key of their group. A pod never changes its group. */
class Members {
  readonly #active = new Map<string, Set<string>>();

  any(group: string): boolean {
    return this.#active.has(group);
  }

  /** The group that the pod has just left, if it did. */
  see({ type, object }: ViewEvent): string | undefined {
    const group = podGroupNameOf(object);
    if (group === undefined) return undefined;
    const { namespace, name } = object.metadata;
    const key = objectKey(namespace, group);
    const active = this.#active.get(key);
    if (type !== 'DELETED' && !isFinishedPod(object as PodObject)) {
      if (active) active.add(name);
      else this.#active.set(key, new Set([name]));
      return undefined;
    }
    if (!active?.delete(name)) return undefined;
    if (active.size === 0) this.#active.delete(key);
    return key;
  }
}

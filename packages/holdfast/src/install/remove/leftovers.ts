import type { InstallStep } from '../apply/steps.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { labelledObjects } from '../manifests/labelled.ts';
import { ownKinds } from '../manifests/own-kinds.ts';
import { type ObjectRef, refKey, refOf, refText } from '../object-ref.ts';
import { done, type Ended, type Reporter } from '../outcome.ts';

/** What an earlier version brought and this one does not. Other workloads may use it by now: it is reported, not removed. */
export async function reportLeftovers(
  api: ClusterApi,
  steps: readonly InstallStep[],
  report: Reporter,
): Promise<Ended> {
  const wanted = new Set(steps.flatMap((step) => (step.kind === 'apply' ? [refKey(refOf(step.manifest))] : [])));
  for (const kind of ownKinds) {
    const found = await labelledObjects(api, kind, undefined);
    // A user who may not list has installed all the same.
    if (!found.ok && found.ended.kind === 'stopped') return found.ended;
    const rest = found.ok ? found.value.filter(({ ref }) => !wanted.has(refKey(ref))) : [];
    for (const { ref } of rest) report({ kind: 'note', text: leftoverNote(ref) });
  }
  return done;
}

function leftoverNote(ref: ObjectRef): string {
  const where = ref.namespace === undefined ? '' : ` in namespace ${ref.namespace}`;
  return `${refText(ref)}${where} is labelled as a part of Holdfast, and is not part of this installation: delete it if nothing needs it`;
}

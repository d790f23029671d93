import { annotation } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import { agree, counted } from '../../api/wording.ts';
import { resources } from '../../observe/resources.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy } from '../failures.ts';
import { done, type Ended, type Reporter } from '../outcome.ts';

/**
 * Takes the projected number (S3) from every PodDisruptionBudget. To be called when neither the operator nor the policy is there any more: the
 * disruption controller then sees the budget change, and writes the number of pods.
 */
export async function withdrawNumbers(api: ClusterApi, report: Reporter): Promise<Ended> {
  const listed = await api.list<PodDisruptionBudget>(resources.pdbs, {});
  if (!listed.ok) return endedBy(listed.failure, 'cannot list PodDisruptionBudgets').ended;
  let count = 0;
  for (const { metadata } of listed.value) {
    const { namespace, name } = metadata;
    const shown = metadata.annotations?.[annotation.disruptionsAllowed];
    if (shown === undefined) continue;
    const removed = await api.removeAnnotation(
      resources.pdbs,
      { namespace, name },
      annotation.disruptionsAllowed,
      shown,
    );
    // A budget that changed meanwhile was changed by a person: no operator runs. One that is gone needs nothing.
    if (!removed.ok && removed.failure.kind !== 'rejected' && removed.failure.kind !== 'notFound') {
      return endedBy(removed.failure, `poddisruptionbudget/${name} in namespace ${namespace}`).ended;
    }
    count += Number(removed.ok);
  }
  if (count > 0) report({ kind: 'note', text: textFor(count) });
  return done;
}

function textFor(count: number): string {
  const shows = `${counted(count, 'PodDisruptionBudget')} ${agree(count, 'shows', 'show')}`;
  return `${shows} the number of pods again in ALLOWED DISRUPTIONS, as Kubernetes computes it`;
}

import type { Fields } from '@holdfast/base/json';
import { pubGroup } from '../../api/pub/pub.ts';
import { counted } from '../../api/wording.ts';
import type { LintInput, LintObject } from '../../core/lint/finding.ts';
import type { KindName } from '../../kube/discovery/discovery.ts';
import { gapText } from '../../observe/once/gap.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import { readWorld } from '../../observe/once/read-world.ts';
import type { Scope } from '../../observe/once/scope.ts';
import { Problem } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import { worldOf } from '../feed-world.ts';
import type { LoadedObject } from '../load-objects.ts';
import { readManifests, type SourcePlace } from './manifest-files.ts';
import { withStandIns } from './stand-ins.ts';

export interface Linted extends LintInput {
  /** Nothing for an object of a live cluster. */
  readonly placeOf: (object: LintObject, field?: string) => SourcePlace | undefined;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  /** Something could not be read that may be a manifest: there is no whole answer. */
  readonly incomplete: boolean;
}

export function fromManifests(paths: readonly string[]): Linted {
  const { objects, placeOf, skipped, unreadable, files } = readManifests(paths);
  if (objects.length === 0 && unreadable.length === 0)
    throw new Problem(
      'there is no manifest in these files',
      ['Name files or folders with manifests.', ...skipped].join('\n'),
    );
  const count = `${counted(skipped.length, 'document')} skipped, ${counted(files, 'file')} read`;
  return {
    world: worldOf(withStandIns(objects)),
    objects,
    placeOf: (object, field) => placeOf(object as LoadedObject, field),
    warnings: unreadable.map((one) => `${one}: it was not checked`),
    notes: skipped.length === 0 ? [] : [...skipped.map((one) => `skipped ${one}`), count],
    incomplete: unreadable.length > 0,
  };
}

/** What the rules read beside the engine's world. */
const kinds: readonly KindName[] = [
  { group: '', kind: 'Pod' },
  { group: '', kind: 'Namespace' },
  { group: 'policy', kind: 'PodDisruptionBudget' },
  { group: pubGroup, kind: 'PodUnavailableBudget' },
  { group: 'apps', kind: 'StatefulSet' },
  { group: 'autoscaling', kind: 'HorizontalPodAutoscaler' },
];

export async function fromLiveCluster(
  session: Session,
  scope: Scope,
  operatorNamespace: string | undefined,
): Promise<Linted> {
  const live = await readWorld(session, { scope, operatorNamespace });
  const reader = new KindReader(session);
  const objects: LoadedObject[] = [];
  const warnings = live.gaps.map(gapText);
  for (const kind of kinds) {
    const read = await reader.list({
      kind,
      scope,
      project: ({ group, version }) => {
        const apiVersion = group === '' ? version : `${group}/${version}`;
        // Items of a list do not say what they are.
        return (object: Fields) => ({ ...object, apiVersion, kind: kind.kind }) as unknown as LoadedObject;
      },
    });
    if (read.kind === 'denied')
      warnings.push(`${kind.kind} objects cannot be read (${read.why}): they are not checked`);
    if (read.kind === 'read') objects.push(...read.items);
  }
  return { world: live.world, objects, placeOf: () => undefined, warnings, notes: [], incomplete: false };
}

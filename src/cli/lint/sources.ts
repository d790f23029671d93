import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields } from '../../api/json.ts';
import { pubGroup } from '../../api/pub.ts';
import type { LintInput, LintObject } from '../../core/lint/finding.ts';
import type { KindName } from '../../kube/discovery/discovery.ts';
import { worldOf } from '../feed-world.ts';
import { gapText } from '../live/gap.ts';
import { KindReader } from '../live/kind-reader.ts';
import { readWorld } from '../live/read-world.ts';
import type { Scope } from '../live/scope.ts';
import type { Session } from '../live/session.ts';
import { type LoadedObject, objectsIn, readText } from '../load-objects.ts';
import { Problem } from '../output/problem.ts';
import { withStandIns } from './stand-ins.ts';
import { startLines } from './start-lines.ts';

/** Where somebody can read an object. */
export interface Place {
  readonly file: string;
  readonly line?: number;
}

export interface Linted extends LintInput {
  /** Nothing for an object of a live cluster. */
  readonly placeOf: (object: LintObject) => Place | undefined;
  readonly warnings: readonly string[];
}

export function fromManifests(paths: readonly string[]): Linted {
  const places = new Map<LintObject, Place>();
  const objects = paths.flatMap(filesIn).flatMap((file) => {
    const text = file === '-' ? readFileSync(0, 'utf8') : readText(file);
    const lines = startLines(text);
    return objectsIn(text, file).map(({ object, document }) => {
      const line = lines[document];
      places.set(object, { file, ...(line === undefined ? {} : { line }) });
      return object;
    });
  });
  if (objects.length === 0)
    throw new Problem('there is no object in these files', 'Name files or folders with manifests.');
  return { world: worldOf(withStandIns(objects)), objects, placeOf: (object) => places.get(object), warnings: [] };
}

const manifest = /\.(ya?ml|json)$/;

/** A folder stands for the manifests in it. */
function filesIn(path: string): readonly string[] {
  if (path === '-' || !statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => manifest.test(name));
  return names.sort().map((name) => join(path, name));
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
  return { world: live.world, objects, placeOf: () => undefined, warnings };
}

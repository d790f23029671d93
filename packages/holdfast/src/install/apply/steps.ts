import { crdManifests, type Manifest, manifestsOf } from '../manifests/manifests.ts';
import { type ApplyStage, ownKind } from '../manifests/own-kinds.ts';
import { type ObjectRef, refOf } from '../object-ref.ts';
import type { InstallValues } from '../values/values.ts';

export interface InstallMode {
  readonly crdsOnly: boolean;
  /** The server says what would happen, and nothing happens: then there is nothing to wait for. */
  readonly dryRun: boolean;
}

export type Awaited =
  /** The API server serves the kinds that were defined. */
  | 'definitions'
  /** The operator's replicas are available. */
  | 'operator'
  /** Every webhook knows whom to trust. */
  | 'trust'
  /** An agent is available on every node. */
  | 'agents';

export type InstallStep =
  | { readonly kind: 'apply'; readonly manifest: Manifest }
  | { readonly kind: 'await'; readonly what: Awaited; readonly objects: readonly ObjectRef[] };

/**
 * What an installation does, in order. Webhooks that fail closed come after the operator: one that does not come up leaves a
 * cluster as it was. A node on which no agent comes up does not delay the protection of the others.
 */
export function installSteps(values: InstallValues, { crdsOnly, dryRun }: InstallMode): readonly InstallStep[] {
  const manifests = crdsOnly ? crdManifests : manifestsOf(values);
  const stages: readonly (readonly [ApplyStage, Awaited, (kind: string) => boolean])[] = [
    ['ground', 'definitions', (kind) => kind === 'CustomResourceDefinition'],
    ['operator', 'operator', (kind) => kind === 'Deployment'],
    ['requests', 'trust', () => true],
    ['agents', 'agents', () => true],
  ];
  return stages.flatMap(([stage, what, isAwaited]) => {
    const members = manifests.filter((manifest) => stageOf(manifest) === stage);
    const objects = members.map(refOf).filter(({ kind }) => isAwaited(kind));
    const applies = members.map((manifest) => ({ kind: 'apply', manifest }) as const);
    return dryRun || objects.length === 0 ? applies : [...applies, { kind: 'await', what, objects } as const];
  });
}

function stageOf({ kind }: Manifest): ApplyStage {
  return ownKind(kind ?? '')?.stage ?? 'operator';
}

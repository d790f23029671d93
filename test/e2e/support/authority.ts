import { type Manifest, manifestsOf } from '../../../packages/holdfast/src/install/manifests/manifests.ts';
import { defaultInstallValues, type InstallValues } from '../../../packages/holdfast/src/install/values/values.ts';
import { type Administered, applyManifest } from '../../support/installed.ts';

/** What of an installation says who may do what: everything but what runs, and what requests go to. */
const kinds: ReadonlySet<string> = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

function authorityOf(values: InstallValues = defaultInstallValues): readonly Manifest[] {
  return manifestsOf(values).filter(({ kind }) => kinds.has(kind ?? ''));
}

/** Applies all of it, as a person with kubectl would. */
export async function applyAuthority(cluster: Administered, values?: InstallValues): Promise<void> {
  for (const manifest of authorityOf(values)) await applyManifest(cluster, manifest);
}

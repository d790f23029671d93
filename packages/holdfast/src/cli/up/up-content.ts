import {
  addNodes,
  adminUser,
  applyObject,
  type ControlPlane,
  definitionsServed,
  isApiError,
  type LoadReport,
  loadSnapshot,
  lwsCrd,
  systemUser,
} from '@holdfast/embedded-cluster';
import { type KubeObject, splitApiVersion } from '@holdfast/embedded-cluster/objects';
import { operatorName } from '../../api/installation-names.ts';
import { pubGroup } from '../../api/pub/pub.ts';
import { type LoadedObject, loadObjects } from '../load-objects.ts';
import { packageFile } from '../package-file.ts';
import { agentObjects } from './up-agent.ts';
import { operatorObjects } from './up-operator.ts';
import { defaultNodes } from './up-options.ts';

export interface Content {
  readonly snapshot: readonly LoadedObject[];
  /** Undefined: as many as make sense with what else there is. */
  readonly nodes: number | undefined;
  /** With what the operator and the agent need. */
  readonly operator: boolean;
  /** Namespaces in which the agent may run commands; absent: none. */
  readonly execNamespaces?: readonly string[];
}

/** What is there before the cluster's controllers start. What is there already, from an earlier run, stays as it is. */
export async function prepareContent(plane: ControlPlane, content: Content): Promise<LoadReport | undefined> {
  const first = [
    lwsCrd as KubeObject,
    ...(content.operator ? [...operatorObjects, ...agentObjects(content.execNamespaces ?? [])] : []),
  ];
  for (const object of first) await applyObject(plane, adminUser, object);
  await definitionsServed(plane.view, plane.registry.clock);
  await forgetWebhooks(plane);
  const report = content.snapshot.length > 0 ? await loadSnapshot(plane, content.snapshot) : undefined;
  const hasNodes = plane.view.list('nodes').length > 0;
  await addNodes(plane, content.nodes ?? (hasNodes ? 0 : defaultNodes));
  return report;
}

/** Those of an earlier run call an operator that is gone, and would refuse everything. The operator of this run registers its own. */
async function forgetWebhooks(plane: ControlPlane): Promise<void> {
  const client = plane.clientFor(systemUser, 'holdfast-up');
  for (const resource of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    try {
      await client.delete(resource, '', operatorName);
    } catch (error) {
      if (!isApiError(error, 404)) throw error;
    }
  }
}

export const demoFile = 'examples/demo.yaml';

/** Without the operator the API server has none of its kinds, and nothing would enforce them. */
export async function applyDemo(plane: ControlPlane, operator: boolean): Promise<void> {
  const objects = loadObjects(packageFile(demoFile)) as readonly KubeObject[];
  for (const object of objects) {
    const { group } = splitApiVersion(object.apiVersion);
    if (operator || group !== pubGroup) await applyObject(plane, adminUser, object);
  }
}

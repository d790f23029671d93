import { policies } from '../../admission/policies/run-policies.ts';
import { typeWarnings } from '../../admission/policies/type-warnings.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';

const name = 'validatingadmissionpolicy-status-controller';

/** Says of each validating policy what its expressions get wrong. Once for each change of the policy, as the real one does. */
export function startPolicyStatusController(
  context: ControllerContext,
  { types }: { readonly types: ResourceTypes },
): Controller {
  const client = context.clientFor(name);
  const reconciler = new Reconciler(context, {
    name,
    async reconcile(key) {
      const policy = context.view.get(policies, '', key);
      const { observedGeneration } = (policy?.['status'] ?? {}) as { observedGeneration?: number };
      const { generation = 0, deletionTimestamp } = policy?.metadata ?? {};
      if (policy === undefined || deletionTimestamp !== undefined || observedGeneration === generation)
        return undefined;
      const warnings = typeWarnings(policy, types);
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      await writeStatus(client, policies, policy, { observedGeneration: generation, typeChecking });
      return undefined;
    },
  });
  const watching = context.view.watch(policies, ({ object }) => reconciler.add(object.metadata.name));
  return {
    stop() {
      watching.stop();
      reconciler.stop();
    },
  };
}

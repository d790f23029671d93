import { keyOf, splitKey } from '../../objects.ts';
import { shownUsage } from '../../quota/check.ts';
import type { Quotas, StoredQuota } from '../../quota/quotas.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';

const name = 'resourcequota-controller';

/** Shows of each quota what it limits, and what is used of that. */
export function startQuotaController(context: ControllerContext, { quotas }: { readonly quotas: Quotas }): Controller {
  const client = context.clientFor(name);
  const reconciler = new Reconciler(context, {
    name,
    async reconcile(key) {
      const { namespace, name: quotaName } = splitKey(key);
      const quota = context.view.get<StoredQuota>('resourcequotas', namespace, quotaName);
      if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return undefined;
      const hard = quota.spec?.hard ?? {};
      await writeStatus(client, 'resourcequotas', quota, { hard, used: shownUsage(hard, quotas.usedOf(quota)) });
      return undefined;
    },
  });
  const changes = quotas.onChange((key) => reconciler.add(key));
  const watching = context.view.watch('resourcequotas', ({ object }) => reconciler.add(keyOf(object)));
  return {
    stop() {
      changes.stop();
      watching.stop();
      reconciler.stop();
    },
  };
}

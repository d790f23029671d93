import type { Command } from 'commander';
import { uninstall as uninstallFrom } from '../operator/install/uninstall.ts';
import { type UninstallOptions, uninstallCommand as uninstallCommandOf } from './install-options.ts';
import { withCluster } from './install-session.ts';

export function uninstallCommand(): Command {
  return uninstallCommandOf(uninstall);
}

async function uninstall(options: UninstallOptions): Promise<void> {
  const { namespace, deleteUserData, timeout } = options;
  let told = 0;
  await withCluster(options, { dryRun: false }, async ({ report, ...ports }) => {
    const counted = (one: Parameters<typeof report>[0]) => {
      told += one.kind === 'object' ? 1 : 0;
      report(one);
    };
    const ended = await uninstallFrom({ namespace, deleteUserData, timeoutMs: timeout }, { ...ports, report: counted });
    if (ended.kind === 'done' && told === 0) report({ kind: 'note', text: 'nothing of Holdfast is installed' });
    return ended;
  });
}

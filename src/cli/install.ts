import type { Command } from 'commander';
import { install as installInto } from '../operator/install/install.ts';
import { renderManifests } from '../operator/install/render.ts';
import { installSteps } from '../operator/install/steps.ts';
import { type InstallOptions, installCommand as installCommandOf } from './install-options.ts';
import { withCluster } from './install-session.ts';
import { chosenValues } from './install-values.ts';

export function installCommand(): Command {
  return installCommandOf(install);
}

async function install(options: InstallOptions): Promise<void> {
  const values = chosenValues(options);
  const { crdsOnly, timeout } = options;
  if (options.dryRun === 'client') {
    const steps = installSteps(values, { crdsOnly, dryRun: true });
    const manifests = steps.flatMap((step) => (step.kind === 'apply' ? [step.manifest] : []));
    process.stdout.write(renderManifests(manifests));
    return;
  }
  const dryRun = options.dryRun === 'server';
  const wish = { values, mode: { crdsOnly, dryRun }, timeoutMs: timeout };
  const saying = { dryRun, dryRunCommand: 'holdfast install --dry-run' };
  await withCluster(options, saying, (ports) => installInto(wish, ports));
}

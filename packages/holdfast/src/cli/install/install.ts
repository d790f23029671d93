import type { Command } from 'commander';
import {
  type Ended,
  type InstallValues,
  install as installInto,
  installSteps,
  renderManifests,
} from '../../install/index.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { defineInstallCommand, type InstallOptions } from './install-options.ts';
import { withCluster } from './install-session.ts';
import { chosenValues } from './install-values.ts';

export function installCommand(): Command {
  return defineInstallCommand(install);
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
  refuseForeignTools(values);
  const dryRun = options.dryRun === 'server';
  const request = { values, mode: { crdsOnly, dryRun }, timeoutMs: timeout };
  const saying = { dryRun, dryRunCommand: 'holdfast install --dry-run' };
  await withCluster(options, saying, async (ports) => {
    const obstacle = crdsOnly ? undefined : await simulatedCluster(ports.client);
    return obstacle ?? installInto(request, ports);
  });
}

/** Applied by this command, configurations without webhooks would take away those that are there until the operator puts them back. */
function refuseForeignTools({ webhook }: InstallValues): void {
  if (webhook.registeredBy === 'install') return;
  throw new Error(
    'webhook.registeredBy: operator is for manifests that another tool applies: print them with --dry-run, or leave it out to install with this command',
  );
}

/** Nodes of an embedded cluster start no containers: the operator would never answer, and its webhooks would refuse everything. */
async function simulatedCluster(client: KubeClient): Promise<Ended | undefined> {
  const version = await client.document<{ readonly gitVersion?: string }>('/version');
  if (!version.ok || version.value.gitVersion?.endsWith('+holdfast') !== true) return undefined;
  return {
    kind: 'refused',
    message:
      'this is a cluster of `holdfast up`: its nodes are simulated and run no containers, so an operator installed here never answers',
    advice: 'Nothing was written. `holdfast up` runs an operator of its own, unless it was started with --no-operator.',
  };
}

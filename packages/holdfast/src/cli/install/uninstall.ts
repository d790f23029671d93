import { type Fields, isObject } from '@holdfast/base/json';
import type { Command } from 'commander';
import { ledgerGroup } from '../../api/ledger.ts';
import { annotation } from '../../api/names.ts';
import { pubGroup } from '../../api/pub/pub.ts';
import { counted } from '../../api/wording.ts';
import { uninstall as uninstallFrom } from '../../install/index.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import { readWorld } from '../../observe/once/read-world.ts';
import { everywhere } from '../../observe/once/scope.ts';
import { Problem } from '../../observe/problem.ts';
import { resources } from '../../observe/resources.ts';
import type { Session } from '../../observe/session.ts';
import { withSession } from '../live/session.ts';
import { confirm } from './confirm.ts';
import { defineUninstallCommand, type UninstallOptions } from './install-options.ts';
import { workOn } from './install-session.ts';
import { lossLines } from './uninstall-losses.ts';

export function uninstallCommand(): Command {
  return defineUninstallCommand(uninstall);
}

async function uninstall(options: UninstallOptions): Promise<void> {
  await withSession(options, async (session) => {
    await tellLosses(session, options);
    if (options.deleteUserData && !options.dryRun) await confirmDeletion(session, options);
    await remove(session, options);
  });
}

/** The user learns what is at stake before anything is removed; not being able to tell is no reason to keep Holdfast. */
async function tellLosses(session: Session, { namespace: operatorNamespace }: UninstallOptions): Promise<void> {
  try {
    const live = await readWorld(session, { scope: everywhere, operatorNamespace });
    const lines = lossLines({ live, rollouts: await recoveredSets(session) });
    if (lines.length === 0) return;
    process.stdout.write(
      `Without Holdfast this is no longer protected:\n${lines.map((one) => `  ${one}\n`).join('')}\n`,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`warning: cannot determine what will no longer be protected: ${error.message}\n`);
  }
}

async function recoveredSets(session: Session): Promise<readonly string[]> {
  const read = await new KindReader(session).listResource(resources.statefulSets, everywhere, recoveredName);
  return read.kind === 'read' ? read.items.filter((name) => name !== undefined) : [];
}

function recoveredName({ metadata }: Fields): string | undefined {
  const { namespace, name, annotations } = isObject(metadata) ? metadata : {};
  const isRecovered = isObject(annotations) && annotations[annotation.updateStrategy] !== undefined;
  return isRecovered ? `${String(namespace)}/${String(name)}` : undefined;
}

async function confirmDeletion(session: Session, { yes }: UninstallOptions): Promise<void> {
  const budgets = await countOf(session, pubGroup, 'PodUnavailableBudget');
  const ledgers = await countOf(session, ledgerGroup, 'DisruptionLedger');
  const what = `--delete-user-data deletes ${budgets} and ${ledgers}, with their definitions, in all namespaces`;
  const { stdin: input, stderr: output } = process;
  const terminal = input.isTTY === true && output.isTTY === true;
  await confirm({ what, agreed: yes, terminal }, { input, output, signal: session.signal });
}

async function countOf(session: Session, group: string, kind: string): Promise<string> {
  const read = await new KindReader(session).list({
    kind: { group, kind },
    scope: everywhere,
    project: () => () => true,
  });
  return read.kind === 'denied' ? `every ${kind}` : counted(read.kind === 'read' ? read.items.length : 0, kind);
}

async function remove(session: Session, options: UninstallOptions): Promise<void> {
  const { namespace, deleteUserData, dryRun, timeout } = options;
  let told = 0;
  await workOn(session, { dryRun }, async ({ report, ...ports }) => {
    const noted = (one: Parameters<typeof report>[0]) => {
      told += one.kind === 'object' ? 1 : 0;
      report(one);
    };
    const request = { namespace, deleteUserData, dryRun, timeoutMs: timeout };
    const ended = await uninstallFrom(request, { ...ports, report: noted });
    if (ended.kind === 'done' && told === 0) report({ kind: 'note', text: 'nothing of Holdfast is installed' });
    return ended;
  });
}

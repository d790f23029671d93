import { Command, Option } from 'commander';
import type { Finding } from '../../core/lint/finding.ts';
import { lint, rules } from '../../core/lint/lint.ts';
import type { ScopeFlags } from '../../observe/once/scope.ts';
import { scopeOf } from '../../observe/once/scope.ts';
import { exitCode, Problem } from '../../observe/problem.ts';
import { type LiveFlags, withLiveFlags, withScopeFlags } from '../live/flags.ts';
import { withSession } from '../live/session.ts';
import { paintFor } from '../output/paint.ts';
import { structured } from '../output/structured.ts';
import { lintText } from './lint-text.ts';
import { lintJson, lintSarif } from './sarif.ts';
import { fromLiveCluster, fromManifests, type Linted } from './sources.ts';

interface Options extends LiveFlags, ScopeFlags {
  readonly output: 'text' | 'json' | 'sarif';
  readonly failOn: 'error' | 'warning' | 'never';
  readonly ignore: readonly string[];
}

export function lintCommand(): Command {
  const command = new Command('lint')
    .description('find budgets, probes and annotations that do not do what they say, in manifests or in a cluster')
    .argument(
      '[files...]',
      'manifests or folders with manifests; - reads standard input; none: a live cluster, with -n or -A',
    )
    .addOption(
      new Option('--fail-on <severity>', 'from which severity on to exit with 1')
        .choices(['error', 'warning', 'never'])
        .default('error'),
    )
    .addOption(
      new Option('--ignore <code...>', 'rules to leave out').choices(rules.map(({ code }) => code)).default([], 'none'),
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'sarif']).default('text'));
  return withLiveFlags(withScopeFlags(command))
    .addHelpText(
      'after',
      `
Manifests are checked without a cluster: the pod templates of workloads stand for their pods, all of them healthy.
In folders, files that are no manifests (kustomization.yaml, Helm values and templates) are skipped and named.

Examples:
  holdfast lint deploy/                          all manifests in a folder
  helm template . | holdfast lint -              what a chart renders
  kustomize build . | holdfast lint -            what would be applied
  holdfast lint -A                               a whole cluster, with your own rights
  holdfast lint deploy/ -o sarif > lint.sarif    for code hosts

Exit codes: 0 nothing found that is as severe as --fail-on; 1 something is; 2 there is no answer, or a file could not be
read. docs/reference/lint.md explains every code.`,
    )
    .action(async (files: readonly string[], options: Options) => report(await read(files, options), options));
}

async function read(files: readonly string[], options: Options): Promise<Linted> {
  const { namespace, allNamespaces, operatorNamespace } = options;
  const asksCluster = namespace !== undefined || allNamespaces === true;
  if (files.length > 0 === asksCluster)
    throw new Problem('name files, or a cluster with -n NAMESPACE or -A', 'One of these, and only one.');
  if (files.length > 0) return fromManifests(files);
  return withSession(options, (session) => fromLiveCluster(session, scopeOf(options, session), operatorNamespace));
}

function report(linted: Linted, { output, failOn, ignore }: Options): void {
  const findings = lint(linted).filter(({ rule }) => !ignore.includes(rule.code));
  const paint = paintFor({ isTTY: process.stdout.isTTY, env: process.env });
  if (output === 'json') process.stdout.write(structured(lintJson(findings, linted.placeOf), 'json'));
  else if (output === 'sarif') process.stdout.write(structured(lintSarif(findings, rules, linted.placeOf), 'json'));
  else process.stdout.write(lintText(findings, linted.placeOf, paint));
  for (const note of linted.notes) process.stderr.write(`note: ${note}\n`);
  for (const warning of linted.warnings) process.stderr.write(`warning: ${warning}\n`);
  if (linted.incomplete) process.exitCode = exitCode.problem;
  else if (findings.some((one) => counts(one, failOn))) process.exitCode = exitCode.no;
}

function counts({ rule }: Finding, failOn: Options['failOn']): boolean {
  if (failOn === 'never') return false;
  return failOn === 'warning' || rule.severity === 'error';
}

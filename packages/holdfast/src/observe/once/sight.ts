import { ledgerGroup } from '../../api/ledger.ts';
import { pubGroup } from '../../api/pub/pub.ts';
import { Problem } from '../problem.ts';
import { type Gap, type MissingRight, resourceText } from './gap.ts';

/** The ClusterRole that `holdfast install` creates for people who look. */
const installedRole = 'holdfast-view';
/** The ClusterRole of docs/reference/cli.md, which grants all that the commands read. */
const documentedRole = 'holdfast-reader';

const grantedByInstallation: ReadonlySet<string> = new Set([
  resourceText(pubGroup, 'podunavailablebudgets'),
  resourceText(ledgerGroup, 'disruptionledgers'),
]);

/** API groups whose namespaced kinds Kubernetes' own role `view` reads. */
const viewedGroups: ReadonlySet<string> = new Set(['apps', 'batch', 'policy']);

function roleFor(resource: string): string {
  if (grantedByInstallation.has(resource)) return installedRole;
  const group = resource.slice(resource.indexOf('.') + 1);
  return viewedGroups.has(group) || resource === 'pods' ? 'view' : documentedRole;
}

/**
 * The problem that takes the place of an answer when the user may not read what the answer depends on. The engine refuses what it
 * cannot see (I4); shown to a user who lacks a right, such a refusal would promise that waiting helps.
 *
 * @param refusals codes of the refusals that the answer contains
 */
export function unseenProblem(gaps: readonly Gap[], refusals: Iterable<string> = []): Problem | undefined {
  const seen = new Set(refusals);
  const missing = gaps.flatMap(({ right }) => (right !== undefined && hidesAnswer(right, seen) ? [right] : []));
  if (missing.length === 0) return undefined;
  const named = missing.map(({ verb, resource }) => `${verb} ${resource} (ClusterRole ${roleFor(resource)} grants it)`);
  return new Problem(`unknown: you may not ${[...new Set(named)].join(', ')}`, adviceFor(missing));
}

/** To be called before anything is decided: throws where no pod could be judged. */
export function ensureSight(gaps: readonly Gap[]): void {
  const problem = unseenProblem(gaps);
  if (problem !== undefined) throw problem;
}

/** The same for one answer: a refusal that the user's rights explain is no answer, one that has another reason is. */
export function onlyUnseen(gaps: readonly Gap[], refusals: readonly string[]): Problem | undefined {
  const solid = refusals.filter((code) => unseenProblem(gaps, [code]) === undefined);
  return refusals.length > 0 && solid.length === 0 ? unseenProblem(gaps, refusals) : undefined;
}

function hidesAnswer({ hides }: MissingRight, refusals: ReadonlySet<string>): boolean {
  return hides === 'all' || hides.some((code) => refusals.has(code));
}

function adviceFor(missing: readonly MissingRight[]): string {
  const roles = new Set(missing.map(({ resource }) => roleFor(resource)));
  const how = [
    'Without that Holdfast cannot tell whether a pod may be disrupted, and waiting does not help.',
    ...(roles.has(installedRole)
      ? [`holdfast install creates ClusterRole ${installedRole}, which Kubernetes adds to view, edit and admin.`]
      : []),
    ...(roles.has(documentedRole)
      ? [`ClusterRole ${documentedRole} is in docs/reference/cli.md, section Reading.`]
      : []),
    'Ask an administrator of the cluster to bind the role to you.',
  ];
  return how.join('\n');
}

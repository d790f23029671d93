import { compareStrings } from '../compare.ts';
import type { Finding, LintedPdb, LintedPub, LintInput, LintObject, LintView, Rule } from './finding.ts';
import { keyRules } from './key-rules.ts';
import { numberRules } from './number-rules.ts';
import { probeRules } from './probe-rules.ts';
import { readingRules } from './reading-rules.ts';
import { selectionRules } from './selection-rules.ts';
import { targetRules } from './target-rules.ts';

/** All rules, by code. Adding one is adding an entry, its tests, and its line in docs/reference/lint.md. */
export const rules: readonly Rule[] = [
  ...readingRules,
  ...keyRules,
  ...numberRules,
  ...selectionRules,
  ...probeRules,
  ...targetRules,
].sort((a, b) => compareStrings(a.code, b.code));

/** What is wrong with these objects, as far as it can be told without looking at what is healthy today. */
export function lint(input: LintInput): readonly Finding[] {
  const view = viewOf(input);
  return rules.flatMap((rule) => rule.check(view).map((hit) => ({ ...hit, rule })));
}

function viewOf({ world, objects }: LintInput): LintView {
  const stateOf = (object: LintObject) => world.namespace(object.metadata.namespace ?? 'default');
  const named = (kind: string) => objects.filter((object) => object.kind === kind);
  const pdbs = named('PodDisruptionBudget').flatMap((object): readonly LintedPdb[] => {
    const state = stateOf(object)?.pdbs.get(object.metadata.name);
    return state === undefined ? [] : [{ object: object as LintedPdb['object'], state }];
  });
  const pubs = named('PodUnavailableBudget').flatMap((object): readonly LintedPub[] => {
    const state = stateOf(object)?.pubs.get(object.metadata.name);
    return state === undefined ? [] : [{ object: object as LintedPub['object'], state }];
  });
  return { objects, pdbs, pubs };
}

import { type FieldError, failed, invalid, type Parsed, parsed } from '@holdfast/base/field-errors';
import { type Amount, parseAmount } from '@holdfast/base/int-or-string';
import { parseSelector, type Selector, selectEverything } from '@holdfast/base/labels/label-selector';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import { type PdbScope, parsePdbScope } from '../../api/pdb-scope.ts';
import { parseTakeover } from '../../api/takeover.ts';

/** What happens to pods of a unit that is already down. `never`: a word we do not know, and must not guess (I4). */
export type UnhealthyRule = 'always' | 'ifHealthyBudget' | 'never';

export interface PdbRules {
  readonly scope: PdbScope;
  readonly takeover: boolean;
  readonly limit: Limit;
  readonly unhealthy: UnhealthyRule;
}

/** The lines a budget draws. With both, both hold. */
export interface Limit {
  readonly minAvailable?: Amount;
  readonly maxUnavailable?: Amount;
}

/** A PDB's selector: absent selects nothing, empty selects everything, one that cannot be read selects nothing, as upstream. */
export function pdbSelector(pdb: PodDisruptionBudget): Selector | undefined {
  const source = pdb.spec?.selector;
  if (source === undefined || source === null) return undefined;
  const selector = parseSelector(source, 'spec.selector');
  if (!selector.ok) return undefined;
  return selector.value.length === 0 ? selectEverything : selector.value;
}

export function readPdb(pdb: PodDisruptionBudget): Parsed<PdbRules> {
  const scope = parsePdbScope(pdb);
  const takeover = parseTakeover(pdb);
  const limit = readLimit(pdb);
  if (scope.ok && takeover.ok && limit.ok) {
    const unhealthy = unhealthyRule(pdb.spec?.unhealthyPodEvictionPolicy);
    return parsed({ scope: scope.value, takeover: takeover.value, limit: limit.value, unhealthy });
  }
  return failed(...[scope, takeover, limit].flatMap((one) => (one.ok ? [] : one.errors)));
}

function readLimit(pdb: PodDisruptionBudget): Parsed<Limit> {
  const { minAvailable, maxUnavailable } = pdb.spec ?? {};
  if (minAvailable === undefined && maxUnavailable === undefined) {
    return failed(invalid('spec', pdb.spec, 'has neither minAvailable nor maxUnavailable'));
  }
  const errors: FieldError[] = [];
  const min = minAvailable === undefined ? undefined : take(parseAmount(minAvailable, 'spec.minAvailable'), errors);
  const max =
    maxUnavailable === undefined ? undefined : take(parseAmount(maxUnavailable, 'spec.maxUnavailable'), errors);
  if (errors.length > 0) return failed(...errors);
  return parsed({
    ...(min === undefined ? {} : { minAvailable: min }),
    ...(max === undefined ? {} : { maxUnavailable: max }),
  });
}

function take(amount: Parsed<Amount>, errors: FieldError[]): Amount | undefined {
  if (amount.ok) return amount.value;
  errors.push(...amount.errors);
  return undefined;
}

function unhealthyRule(policy: string | undefined): UnhealthyRule {
  if (policy === 'AlwaysAllow') return 'always';
  return policy === undefined || policy === 'IfHealthyBudget' ? 'ifHealthyBudget' : 'never';
}

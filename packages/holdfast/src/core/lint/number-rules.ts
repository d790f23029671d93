import { type Fields, isObject } from '@holdfast/base/json';
import type { Desired, Expected } from '../budget/desired.ts';
import type { Hit, LintedPdb, LintedPub, LintObject, LintView, Rule } from './finding.ts';

/** What a budget wants and what there is when everything is healthy. */
interface Numbers {
  readonly object: LintObject;
  readonly unit: string;
  readonly expected: Expected;
  readonly desired: Desired;
}

function numbersOf({ pdbs, pubs }: LintView): readonly Numbers[] {
  return [...pdbs.map(pdbNumbers), ...pubs.map(pubNumbers)].filter(
    ({ state }) => state.rules !== undefined && state.pods.size > 0,
  );
}

function pdbNumbers({ object, state }: LintedPdb) {
  const grouped = state.mode === 'group';
  const expected = grouped || state.mode === 'perPod' ? state.expected() : state.plainExpected();
  const desired = grouped || state.mode === 'perPod' ? state.desired() : state.plainDesired();
  return { object, state, unit: grouped ? 'group' : 'pod', expected, desired };
}

function pubNumbers({ object, state }: LintedPub) {
  const unit = state.rules?.groups === undefined ? 'pod' : 'group';
  return { object, state, unit, expected: state.expected(), desired: state.desired() };
}

/** Budgets whose numbers are known and compare so. */
function compared(
  view: LintView,
  test: (desired: number, expected: number) => boolean,
  words: (numbers: Numbers & { readonly want: number; readonly have: number }) => string,
): readonly Hit[] {
  return numbersOf(view).flatMap((one) => {
    if (!one.expected.known || !one.desired.known) return [];
    const [want, have] = [one.desired.count, one.expected.count];
    const { object } = one;
    const message = words({ ...one, want, have });
    return have > 0 && test(want, have) ? [{ object, field: limitField(object), message }] : [];
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function unknownNumbers(view: LintView): readonly Hit[] {
  return numbersOf(view).flatMap(({ object, desired, unit }) =>
    desired.known
      ? []
      : [
          {
            object,
            field: limitField(object),
            message: `the number of ${unit}s it requires is unknown: ${desired.why}`,
          },
        ],
  );
}

/** A number beside an autoscaler: what is fine today blocks every drain when it scales down. */
function besideAutoscaler({ objects, pdbs, pubs }: LintView): readonly Hit[] {
  const scalers = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  return [...pdbs, ...pubs].flatMap(({ object, state }) => {
    const minimum = object.spec?.minAvailable;
    if (typeof minimum !== 'number' || minimum === 0) return [];
    return scalers.flatMap((scaler) => {
      const lowest = lowestScale(scaler);
      const named = scaledName(scaler);
      const same = (scaler.metadata.namespace ?? 'default') === state.ref.namespace;
      const reached = [...state.pods].some(({ controller, root }) =>
        [controller, root, controller?.controller].some(
          (owner) => owner !== undefined && `${owner.kind}/${owner.name}` === named,
        ),
      );
      if (!same || !reached || minimum < lowest) return [];
      const message = `minAvailable is ${minimum}, and HorizontalPodAutoscaler ${scaler.metadata.name} scales ${named} down to ${lowest}: nothing may go then`;
      return [{ object, field: 'spec.minAvailable', message }];
    });
  });
}

/** The limit that a budget sets. */
export function limitField(object: LintObject): string {
  return specOf(object)['maxUnavailable'] === undefined ? 'spec.minAvailable' : 'spec.maxUnavailable';
}

const specOf = (object: LintObject): Fields => (isObject(object['spec']) ? object['spec'] : {});

function lowestScale(scaler: LintObject): number {
  const lowest = specOf(scaler)['minReplicas'];
  return typeof lowest === 'number' ? lowest : 1;
}

function scaledName(scaler: LintObject): string {
  const target = specOf(scaler)['scaleTargetRef'];
  return isObject(target) ? `${String(target['kind'])}/${String(target['name'])}` : '';
}

export const numberRules: readonly Rule[] = [
  {
    code: 'HF002',
    name: 'budget-never-met',
    severity: 'error',
    why: 'The budget requires more than there can ever be, so no pod may be evicted, even when everything is healthy.',
    fix: 'Lower minAvailable below the number of replicas, or better, use maxUnavailable.',
    check: (view) =>
      compared(
        view,
        (desired, expected) => desired > expected,
        ({ want, have, unit }) => `requires ${counted(want, `available ${unit}`)}, and there are ${have}`,
      ),
  },
  {
    code: 'HF003',
    name: 'budget-allows-nothing',
    severity: 'error',
    why: 'The budget requires everything there is, so nothing may ever be evicted: every drain of a node with such a pod waits forever.',
    fix: 'Allow at least one to go (maxUnavailable: 1), and run more than one replica.',
    check: (view) =>
      compared(
        view,
        (desired, expected) => desired === expected,
        ({ have, unit }) => `requires all of its ${counted(have, unit)} to be available`,
      ),
  },
  {
    code: 'HF009',
    name: 'number-beside-autoscaler',
    severity: 'warning',
    why: 'A fixed minimum does not shrink with the workload: once it is scaled down, nothing may be evicted.',
    fix: 'Use maxUnavailable or a percentage, or raise minReplicas of the autoscaler above minAvailable.',
    check: besideAutoscaler,
  },
  {
    code: 'HF014',
    name: 'expected-number-unknown',
    severity: 'error',
    why: 'A percentage or maxUnavailable needs to know how many there should be. Where that is not known, nothing may be evicted.',
    fix: 'Use a number for minAvailable, or select only pods whose controllers have a scale.',
    check: unknownNumbers,
  },
];

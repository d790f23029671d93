import type { Hit, LintView, Rule } from './finding.ts';

function missingWorkload({ objects, pubs }: LintView): readonly Hit[] {
  return pubs.flatMap(({ object, state }) => {
    const { target, targetOwner, ref } = state;
    if (target?.kind !== 'workload' || targetOwner?.state === 'known') return [];
    const there = objects.some(
      ({ kind, metadata }) =>
        kind === target.workloadKind &&
        metadata.name === target.name &&
        (metadata.namespace ?? 'default') === ref.namespace,
    );
    return there
      ? []
      : [
          {
            object,
            field: 'spec.targetRef',
            message: `targetRef names ${target.workloadKind} ${target.name}, which does not exist`,
          },
        ];
  });
}

export const targetRules: readonly Rule[] = [
  {
    code: 'HF016',
    name: 'workload-not-there',
    severity: 'warning',
    why: 'A PodUnavailableBudget for a workload that does not exist protects nothing.',
    fix: 'Correct the kind and the name in targetRef. Check the budget together with its workload.',
    check: missingWorkload,
  },
];

import { formatFieldErrors } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { hasProbe, parseProbes } from '@holdfast/base/probes/probe';
import type { Pod } from '../../api/pod.ts';
import type { PodRecord } from '../world/pod-record.ts';
import { obtain } from '../world/selector-index.ts';
import type { Hit, LintObject, LintView, Rule } from './finding.ts';
import { podTemplatesOf } from './pod-templates.ts';

/** A pod, or the template that stands for the pods of a workload. */
interface PodSource {
  readonly object: LintObject;
  readonly pod: Pod & Fields;
  /** What comes before the fields of the pod: `spec.template.`. */
  readonly prefix: string;
}

function podSources(objects: readonly LintObject[]): readonly PodSource[] {
  return objects.flatMap((object) => {
    if (object.kind === 'Pod') return [{ object, pod: object as unknown as Pod & Fields, prefix: '' }];
    return podTemplatesOf(object).map(({ path, metadata, spec }) => {
      // A template has no name, and a probe is read of a pod that has one.
      const pod = { metadata: { ...metadata, name: object.metadata.name }, spec };
      return { object, pod: pod as unknown as Pod & Fields, prefix: `${path}.` };
    });
  });
}

function malformed({ objects }: LintView): readonly Hit[] {
  return podSources(objects).flatMap(({ object, pod, prefix }) => {
    const probes = hasProbe(pod) ? parseProbes(pod) : undefined;
    if (probes === undefined || probes.ok) return [];
    const errors = probes.errors.map((error) => ({ ...error, field: `${prefix}${error.field}` }));
    const [first] = errors;
    return first === undefined ? [] : [{ object, field: first.field, message: formatFieldErrors(errors) }];
  });
}

/** Containers whose pods count for a budget as soon as they run, whether or not they serve. Each workload is told once. */
function unprobed({ objects, pdbs, pubs }: LintView): readonly Hit[] {
  const byName = new Map(podSources(objects).map((one) => [nameOf(one), one]));
  const found = new Map<string, { readonly source: PodSource; readonly budgets: Set<string> }>();
  for (const { object, state } of [...pdbs, ...pubs]) {
    for (const pod of state.pods) {
      const source = sourceOf(pod, byName);
      if (source === undefined || hasProbe(source.pod) || unready(source.pod).length === 0) continue;
      const workload = `${pod.namespace}/${(pod.root ?? pod.controller)?.display ?? pod.name}`;
      const one = obtain(found, workload, () => ({ source, budgets: new Set<string>() }));
      one.budgets.add(`${object.kind} ${object.metadata.name}`);
    }
  }
  return [...found.values()].map(({ source: { object, pod, prefix }, budgets }) => ({
    object,
    field: `${prefix}spec.containers`,
    message: `${unready(pod).join(', ')} has no readinessProbe, and ${[...budgets].sort().join(' and ')} counts its pods`,
  }));
}

/** The pod itself, or the workload whose template stands for it. */
function sourceOf(pod: PodRecord, byName: ReadonlyMap<string, PodSource>): PodSource | undefined {
  const { namespace, controller, root, name } = pod;
  const owners = [controller, controller?.controller, root].flatMap((owner) => owner ?? []);
  const names = [`Pod/${name}`, ...owners.map((owner) => `${owner.kind}/${owner.name}`)];
  return names.flatMap((one) => byName.get(`${namespace}/${one}`) ?? [])[0];
}

function nameOf({ object }: PodSource): string {
  return `${object.metadata.namespace ?? 'default'}/${object.kind}/${object.metadata.name}`;
}

/** The containers without a readiness probe, if none has one: a sidecar needs none of its own. */
function unready({ spec }: Fields): readonly string[] {
  const containers = isObject(spec) && Array.isArray(spec['containers']) ? spec['containers'].filter(isObject) : [];
  if (containers.some(({ readinessProbe }) => isObject(readinessProbe))) return [];
  return containers.map(({ name }) => `container ${String(name)}`);
}

export const probeRules: readonly Rule[] = [
  {
    code: 'HF010',
    name: 'probe-cannot-be-read',
    severity: 'error',
    why: 'A disruption probe that cannot be read always says no: the pod may not be evicted.',
    fix: 'Correct the field that is named; docs/guides/probes.md has examples.',
    check: malformed,
  },
  {
    code: 'HF011',
    name: 'no-readiness-probe',
    severity: 'warning',
    why: 'A budget counts ready pods. Without a readiness probe a pod is ready when it runs, long before it serves, and the next one may be evicted too soon.',
    fix: 'Add a readinessProbe, or a disruption probe (docs/guides/probes.md).',
    check: unprobed,
  },
];

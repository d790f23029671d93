import type { Pod } from 'kubernetes-types/core/v1.js';
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.js';
import type { KubeObject } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';
import { refuse } from '../refusal.ts';
import type { Plugin } from './plugin.ts';

type StoredPod = KubeObject & Pod;
type StoredClass = KubeObject & PriorityClass;

const classes = 'scheduling.k8s.io/priorityclasses';

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
}

/** Every cluster has these two, whether or not their objects have been made yet. */
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

const preemptLower = 'PreemptLowerPriority';

/** Turns the name of a priority class into the number that the scheduler reads. */
export const priority: Plugin = {
  admit(request, draft, { view }) {
    if (request.type.key !== 'pods' || request.subresource !== '' || !draft) return;
    if (request.operation === 'CREATE') setPriority(request, draft as StoredPod, view);
    if (request.operation === 'UPDATE') keepPriority(draft as StoredPod, request.oldObject as StoredPod | undefined);
  },
  validate(request, { view }) {
    const { type, subresource, operation, object } = request;
    if (type.key !== classes || subresource !== '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
    if ((object as StoredClass | undefined)?.globalDefault !== true) return;
    const other = globalDefault(view);
    if (!other || (operation === 'UPDATE' && other.metadata.name === object?.metadata.name)) return;
    throw refuse(
      request,
      `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
    );
  },
};

function setPriority(request: AdmissionRequest, pod: StoredPod, view: View): void {
  const spec = pod.spec ?? { containers: [] };
  pod.spec = spec;
  const { className, value, preemptionPolicy } = resolve(request, spec.priorityClassName ?? '', view);
  if (className !== '') spec.priorityClassName = className;
  if (typeof spec.priority === 'number' && spec.priority !== value) {
    throw refuse(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy && spec.preemptionPolicy !== preemptionPolicy) {
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = preemptionPolicy as NonNullable<typeof spec.preemptionPolicy>;
}

/** A client that writes a pod back without the fields that admission set does not mean to remove them. */
function keepPriority(pod: StoredPod, old: StoredPod | undefined): void {
  const { spec } = pod;
  const before = old?.spec;
  if (!spec || !before) return;
  if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
  if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = before.preemptionPolicy;
  }
}

function resolve(request: AdmissionRequest, name: string, view: View): Priority {
  if (name === '') {
    const found = globalDefault(view);
    return found ? priorityOf(found) : { className: '', value: 0, preemptionPolicy: preemptLower };
  }
  const found = view.get<StoredClass>(classes, '', name);
  if (found) return priorityOf(found);
  const value = systemClasses.get(name);
  if (value === undefined) throw refuse(request, `no PriorityClass with name ${name} was found`);
  return { className: name, value, preemptionPolicy: preemptLower };
}

function priorityOf({ metadata, value, preemptionPolicy }: StoredClass): Priority {
  return { className: metadata.name, value, preemptionPolicy };
}

/** Of several, which only a race can make, the lowest. */
function globalDefault(view: View): StoredClass | undefined {
  const defaults = view.list<StoredClass>(classes).filter((candidate) => candidate.globalDefault === true);
  return defaults.reduce<StoredClass | undefined>(
    (lowest, candidate) => (lowest && lowest.value <= candidate.value ? lowest : candidate),
    undefined,
  );
}

import { annotationField, readAnnotations } from '../annotations.ts';
import { type FieldError, failed, forbidden, invalid, type Parsed, parsed, required } from '../field-errors.ts';
import { isObject, isUnset } from '../json.ts';
import { type Probe, parseDisruptionProbe, probeFields } from './probe-fields.ts';
import { parseProbeText } from './probe-text.ts';

/** A disruption probe, and the container that it asks. */
export interface ContainerProbe extends Probe {
  /** Absent only where the pod does not list its containers: then it is the first one. */
  readonly container?: string;
}

/** Where a probe is written that the API server has no field for. */
export const disruptionProbeAnnotation = 'holdfast.dev/disruption-probe';

const key = disruptionProbeAnnotation;

/** What is read of a pod here. */
interface ProbedPod {
  readonly metadata: unknown;
  readonly spec?: unknown;
}

/** Whether a pod asks for a probe, however badly written. Cheap, for use on every pod. */
export function hasProbe(pod: ProbedPod): boolean {
  const source: unknown = pod;
  if (!isObject(source)) return false;
  const { metadata, spec } = source;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  if (isObject(annotations) && Object.hasOwn(annotations, key)) return true;
  const containers = isObject(spec) ? spec['containers'] : undefined;
  return Array.isArray(containers) && containers.some(asksForProbe);
}

function asksForProbe(container: unknown): boolean {
  return isObject(container) && !isUnset(container['disruptionProbe']);
}

/** The probes of a pod, in the order of its containers; none is an empty list. */
export function parseProbes(pod: ProbedPod): Parsed<readonly ContainerProbe[]> {
  const annotations = readAnnotations(pod);
  if (!annotations.ok) return annotations;
  const containers = readContainers(pod.spec);
  if (!containers.ok) return containers;
  const fromSpec = readSpecProbes(containers.value);
  const text = annotations.value[key];
  const fromAnnotation = text === undefined ? parsed([]) : readAnnotationProbes(text, containers.value);
  if (!fromSpec.ok || !fromAnnotation.ok) {
    return failed(...[fromSpec, fromAnnotation].flatMap((result) => (result.ok ? [] : result.errors)));
  }
  const twice = duplicateErrors(fromSpec.value, fromAnnotation.value, containers.value);
  if (twice.length > 0) return failed(...twice);
  return parsed(inOrder([...fromSpec.value, ...fromAnnotation.value], containers.value));
}

interface Container {
  readonly name: string;
  readonly probe: unknown;
}

function readContainers(spec: unknown): Parsed<readonly Container[]> {
  if (isUnset(spec)) return parsed([]);
  if (!isObject(spec)) return failed(invalid('spec', spec, 'must be an object'));
  const list = spec['containers'];
  if (isUnset(list)) return parsed([]);
  if (!Array.isArray(list)) return failed(invalid('spec.containers', list, 'must be a list'));
  const errors: FieldError[] = [];
  const containers: Container[] = [];
  for (const [index, item] of list.entries()) {
    const name = isObject(item) ? item['name'] : undefined;
    if (!isObject(item)) errors.push(invalid(`spec.containers[${index}]`, item, 'must be an object'));
    else if (typeof name === 'string') containers.push({ name, probe: item['disruptionProbe'] });
    else errors.push(invalid(`spec.containers[${index}].name`, name, 'must be a string'));
  }
  return errors.length > 0 ? failed(...errors) : parsed(containers);
}

function readSpecProbes(containers: readonly Container[]): Parsed<readonly ContainerProbe[]> {
  return collect(
    containers.flatMap(({ name, probe }, index) =>
      isUnset(probe)
        ? []
        : [forContainer(name, parseDisruptionProbe(probe, `spec.containers[${index}].disruptionProbe`))],
    ),
  );
}

function readAnnotationProbes(text: string, containers: readonly Container[]): Parsed<readonly ContainerProbe[]> {
  const field = annotationField(key);
  const content = parseProbeText(text, field);
  if (!content.ok) return content;
  const source = content.value;
  if (!isObject(source)) return failed(invalid(field, text, 'must be a probe, or a map from container name to probe'));
  const keys = Object.keys(source);
  if (keys.length === 0) return failed(required(field, 'must be a probe, or a map from container name to probe'));
  // A probe without a container's name is about the first container, which is the application by convention. A map is
  // told from a probe by its keys, so containers called `exec` or `grpc` cannot be named in one.
  if (keys.some((name) => probeFields.includes(name))) {
    return collect([forContainer(containers[0]?.name, parseDisruptionProbe(source, field))]);
  }
  return collect(keys.map((name) => readMapEntry(name, source[name], field, containers)));
}

function readMapEntry(
  name: string,
  source: unknown,
  field: string,
  containers: readonly Container[],
): Parsed<ContainerProbe> {
  if (containers.length > 0 && !containers.some((container) => container.name === name)) {
    return failed(invalid(`${field}.${name}`, name, 'the pod has no container of this name'));
  }
  return forContainer(name, parseDisruptionProbe(source, `${field}.${name}`));
}

function forContainer(container: string | undefined, probe: Parsed<Probe>): Parsed<ContainerProbe> {
  return probe.ok ? parsed({ ...(container === undefined ? {} : { container }), ...probe.value }) : probe;
}

function collect(results: readonly Parsed<ContainerProbe>[]): Parsed<readonly ContainerProbe[]> {
  const errors = results.flatMap((result) => (result.ok ? [] : result.errors));
  return errors.length > 0 ? failed(...errors) : parsed(results.flatMap((result) => (result.ok ? [result.value] : [])));
}

function duplicateErrors(
  fromSpec: readonly ContainerProbe[],
  fromAnnotation: readonly ContainerProbe[],
  containers: readonly Container[],
): readonly FieldError[] {
  return fromSpec
    .filter(({ container }) => fromAnnotation.some((other) => other.container === container))
    .map(({ container }) => {
      const index = containers.findIndex(({ name }) => name === container);
      return forbidden(
        `spec.containers[${index}].disruptionProbe`,
        `the annotation ${key} also has a probe for this container`,
      );
    });
}

function inOrder(probes: readonly ContainerProbe[], containers: readonly Container[]): readonly ContainerProbe[] {
  const position = new Map(containers.map(({ name }, index) => [name, index]));
  const of = ({ container }: ContainerProbe): number => position.get(container ?? '') ?? containers.length;
  return probes.toSorted((left, right) => of(left) - of(right));
}

import { type Fields, isObject } from '@holdfast/base/json';

/** The template of a pod somewhere in an object. */
export interface PodTemplate {
  /** Where it is: `spec.template`, `spec.workerGroupSpecs[0].template`. */
  readonly path: string;
  readonly metadata: Fields;
  readonly spec: Fields;
  /** What it is in, from the nearest to the object's own spec: the number of replicas is beside it, or above. */
  readonly around: readonly Fields[];
}

/** No kind nests templates deeper; a JobSet in a wrapper of its own takes seven levels. */
const maxLevels = 12;

/**
 * Every pod template of an object, wherever its kind keeps them: what has `spec.containers` is one. So kinds need no entry here, and
 * those of tomorrow are found, too.
 */
export function podTemplatesOf(object: Fields): readonly PodTemplate[] {
  if (object['kind'] === 'Pod' || object['kind'] === 'CustomResourceDefinition') return [];
  const { spec } = object;
  return isObject(spec) ? [...templatesIn(spec, 'spec', [spec])] : [];
}

function* templatesIn(value: unknown, path: string, around: readonly Fields[]): Generator<PodTemplate> {
  if (around.length > maxLevels) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* templatesIn(item, `${path}[${index}]`, withHolder(item, around));
    return;
  }
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const here = `${path}.${key}`;
    const template = isObject(inner) ? templateOf(inner) : undefined;
    if (template === undefined) yield* templatesIn(inner, here, withHolder(inner, around));
    else yield { path: here, ...template, around };
  }
}

function withHolder(value: unknown, around: readonly Fields[]): readonly Fields[] {
  return isObject(value) ? [value, ...around] : around;
}

function templateOf({ metadata, spec }: Fields): Pick<PodTemplate, 'metadata' | 'spec'> | undefined {
  if (!isObject(spec) || !Array.isArray(spec['containers'])) return undefined;
  return { metadata: isObject(metadata) ? metadata : {}, spec };
}

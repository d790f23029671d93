import { type Fields, isObject } from '@holdfast/base/json';
import { controllerOf, type OwnerReference } from '@holdfast/base/meta';
import { Interner } from '../../kube/projection/interner.ts';
import { projectMeta } from '../../kube/projection/meta.ts';

/** The kubelet's own copy of a pod that it runs from a file: the API server cannot take it away. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** A pod on a node, as far as a drain asks. */
export interface ListedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly controller: OwnerReference | undefined;
  readonly mirror: boolean;
  readonly emptyDir: boolean;
  readonly finished: boolean;
  /** Milliseconds; absent: not terminating. */
  readonly deletionTime?: number;
}

export function listedPodProjection(): (object: Fields) => ListedPod {
  const projection = { interner: new Interner(), keepAnnotation: (key: string) => key === mirrorAnnotation };
  return (object) => {
    const meta = projectMeta(object, projection);
    const spec = isObject(object['spec']) ? object['spec'] : {};
    const phase = isObject(object['status']) ? object['status']['phase'] : undefined;
    const volumes = Array.isArray(spec['volumes']) ? spec['volumes'].filter(isObject) : [];
    const deletionTime = Date.parse(meta.deletionTimestamp ?? '');
    return {
      namespace: meta.namespace ?? '',
      name: meta.name,
      uid: meta.uid ?? '',
      node: typeof spec['nodeName'] === 'string' ? spec['nodeName'] : '',
      controller: controllerOf(meta),
      mirror: meta.annotations?.[mirrorAnnotation] !== undefined,
      emptyDir: volumes.some((one) => isObject(one['emptyDir'])),
      finished: phase === 'Succeeded' || phase === 'Failed',
      ...(Number.isNaN(deletionTime) ? {} : { deletionTime }),
    };
  };
}

export function podName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

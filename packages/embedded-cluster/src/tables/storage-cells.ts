import { isThere, listAt, objectAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject, ResourceKey } from '../objects.ts';
import { ageOf } from './age.ts';
import { quantityText, unset } from './texts.ts';

const accessModeLetters = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

const claim: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const status = statusOf(object);
  const volume = textAt(spec, 'volumeName');
  return [
    object.metadata.name,
    phaseOf(object),
    volume,
    volume === '' ? '' : quantityText(objectAt(status, 'capacity')?.['storage']),
    volume === '' ? '' : accessModes(status),
    classOf(object),
    textOrUnset(spec, 'volumeAttributesClassName'),
    ageOf(object, nowMs),
    textOrUnset(spec, 'volumeMode'),
  ];
};

const volume: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const claimRef = objectAt(spec, 'claimRef');
  return [
    object.metadata.name,
    quantityText(objectAt(spec, 'capacity')?.['storage']),
    accessModes(spec),
    textAt(spec, 'persistentVolumeReclaimPolicy'),
    phaseOf(object),
    claimRef ? `${textAt(claimRef, 'namespace')}/${textAt(claimRef, 'name')}` : '',
    classOf(object),
    textOrUnset(spec, 'volumeAttributesClassName'),
    textAt(statusOf(object), 'reason'),
    ageOf(object, nowMs),
    textOrUnset(spec, 'volumeMode'),
  ];
};

function phaseOf(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? 'Terminating' : textAt(statusOf(object), 'phase');
}

function accessModes(parent: JsonObject): string {
  const modes = listAt(parent, 'accessModes');
  return accessModeLetters
    .filter(([mode]) => modes.includes(mode))
    .map(([, letters]) => letters)
    .join(',');
}

/** The annotation is older than the field, and still wins. */
function classOf(object: KubeObject): string {
  const annotation = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return annotation ?? textAt(specOf(object), 'storageClassName');
}

function textOrUnset(spec: JsonObject, key: string): string {
  return isThere(spec[key]) ? textAt(spec, key) : unset;
}

const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const storageClass: Cells = (object, nowMs) => {
  const isDefault = defaultClassAnnotations.some((name) => object.metadata.annotations?.[name] === 'true');
  return [
    isDefault ? `${object.metadata.name} (default)` : object.metadata.name,
    textAt(object, 'provisioner'),
    textAt(object, 'reclaimPolicy') || 'Delete',
    textAt(object, 'volumeBindingMode') || 'Immediate',
    object['allowVolumeExpansion'] === true,
    ageOf(object, nowMs),
  ];
};

const volumeAttributesClass: Cells = (object, nowMs) => [
  object.metadata.name,
  textAt(object, 'driverName'),
  ageOf(object, nowMs),
];

export const storageCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['persistentvolumeclaims', claim],
  ['persistentvolumes', volume],
  ['storage.k8s.io/storageclasses', storageClass],
  ['storage.k8s.io/volumeattributesclasses', volumeAttributesClass],
];

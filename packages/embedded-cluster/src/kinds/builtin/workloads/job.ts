import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import { maxInt32, notNegativeFields, oneOfIfThere, unchanged, unchangedFields } from '../checks/field-checks.ts';
import { selectorErrors } from '../checks/labels.ts';
import {
  ensureObject,
  fillIn,
  isThere,
  numberAt,
  objectAt,
  pairsAt,
  specOf,
  statusOf,
  textAt,
} from '../checks/read.ts';
import { applyTemplateDefaults, selectorMatchErrors, templateErrors } from '../pods/pod-template.ts';
import { emptyStatus } from './workload-checks.ts';

const uidLabel = 'batch.kubernetes.io/controller-uid';
const nameLabel = 'batch.kubernetes.io/job-name';
const legacyUidLabel = 'controller-uid';
const legacyNameLabel = 'job-name';

function applyDefaults(job: KubeObject): void {
  const spec = ensureObject(job, 'spec');
  if (spec === undefined) return;
  if (!isThere(spec['completions']) && !isThere(spec['parallelism'])) spec['completions'] = 1;
  fillIn(spec, 'parallelism', 1);
  fillIn(spec, 'backoffLimit', isThere(spec['backoffLimitPerIndex']) ? maxInt32 : 6);
  fillIn(spec, 'completionMode', 'NonIndexed');
  fillIn(spec, 'suspend', false);
  fillIn(spec, 'podReplacementPolicy', isThere(spec['podFailurePolicy']) ? 'Failed' : 'TerminatingOrFailed');
  fillIn(spec, 'manualSelector', false);
  applyTemplateDefaults(spec);
  labelsFromTemplate(job, spec);
}

function labelsFromTemplate(job: KubeObject, spec: JsonObject): void {
  const labels = pairsAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  if (labels.length === 0 || Object.keys(job.metadata.labels ?? {}).length > 0) return;
  job.metadata.labels = Object.fromEntries(labels);
}

/** Pods of a job are told from all others by the job's uid, unless the user says how. */
function generateSelector(job: KubeObject): void {
  const spec = ensureObject(job, 'spec');
  if (spec === undefined || spec['manualSelector'] === true) return;
  const template = ensureObject(spec, 'template');
  const metadata = template && ensureObject(template, 'metadata');
  const labels = metadata && ensureObject(metadata, 'labels');
  const uid = job.metadata.uid ?? '';
  if (labels !== undefined) {
    fillIn(labels, legacyNameLabel, job.metadata.name);
    fillIn(labels, nameLabel, job.metadata.name);
    fillIn(labels, legacyUidLabel, uid);
    fillIn(labels, uidLabel, uid);
  }
  const selector = ensureObject(spec, 'selector');
  const wanted = selector && ensureObject(selector, 'matchLabels');
  if (wanted !== undefined) fillIn(wanted, uidLabel, uid);
  labelsFromTemplate(job, spec);
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

const maxIndexedParallelism = 100_000;

function completionErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isThere(spec['maxFailedIndexes']) && !isThere(spec['backoffLimitPerIndex'])) {
    errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  errors.push(...oneOfIfThere(spec, 'completionMode', path, ['NonIndexed', 'Indexed']));
  return [...errors, ...(spec['completionMode'] === 'Indexed' ? indexedErrors(spec, path) : plainErrors(spec, path))];
}

function indexedErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const completions = numberAt(spec, 'completions');
  const parallelism = numberAt(spec, 'parallelism') ?? 0;
  const maxFailed = numberAt(spec, 'maxFailedIndexes');
  if (completions === undefined) {
    errors.push(required(`${path}.completions`, 'when completion mode is Indexed'));
  }
  if (parallelism > maxIndexedParallelism) {
    const detail = `must be less than or equal to ${maxIndexedParallelism} when completion mode is Indexed`;
    errors.push(invalid(`${path}.parallelism`, parallelism, detail));
  }
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
    errors.push(invalid(`${path}.maxFailedIndexes`, maxFailed, 'must be less than or equal to completions'));
  }
  return errors;
}

function plainErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((key) => isThere(spec[key]))
    .map((key) => invalid(`${path}.${key}`, spec[key], 'requires indexed completion mode'));
}

function restartErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const field = `${path}.template.spec.restartPolicy`;
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === '' || policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(field, policy, ['OnFailure', 'Never'])];
  if (!isThere(spec['podFailurePolicy']) || policy === 'Never') return [];
  return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** What holds for jobs and for the templates of CronJobs. */
export function jobSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...notNegativeFields(spec, path, counts),
    ...completionErrors(spec, path),
    ...oneOfIfThere(spec, 'podReplacementPolicy', path, ['Failed', 'TerminatingOrFailed']),
    ...templateErrors(objectAt(spec, 'template') ?? {}, `${path}.template`),
    ...restartErrors(spec, path),
  ];
}

function validate(job: KubeObject): readonly FieldError[] {
  const spec = specOf(job);
  const template = objectAt(spec, 'template') ?? {};
  return [
    ...generatedSelectorErrors(job),
    ...jobSpecErrors(spec, 'spec'),
    ...(isThere(spec['selector'])
      ? selectorErrors(spec['selector'], 'spec.selector')
      : [required('spec.selector', '')]),
    ...selectorMatchErrors(spec['selector'], template, 'spec.template'),
  ];
}

/** A label that the server generates may be written by the client, but not with another value. */
function generatedSelectorErrors(job: KubeObject): readonly FieldError[] {
  const spec = specOf(job);
  if (spec['manualSelector'] === true) return [];
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels') ?? {};
  const expected = [
    [uidLabel, job.metadata.uid],
    [nameLabel, job.metadata.name],
  ] as const;
  return expected.flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`;
    if (!isThere(labels[key])) return [required(field, 'must be specified')];
    return labels[key] === value ? [] : [invalid('spec.template.metadata.labels', labels, `must be '${value}'`)];
  });
}

function completionsUpdateErrors(now: JsonObject, before: JsonObject): readonly FieldError[] {
  const field = 'spec.completions';
  if (now['completionMode'] !== 'Indexed') return unchanged(field, now['completions'], before['completions']);
  const completions = numberAt(now, 'completions');
  if (completions === undefined || completions === before['completions']) return [];
  if (completions === now['parallelism']) return [];
  return [invalid(field, completions, 'can only be modified in tandem with spec.parallelism')];
}

const fixed = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;
const directives = ['nodeSelector', 'tolerations', 'schedulingGates', 'affinity'] as const;

/** While a job waits, suspended and without pods, it may still be told where its pods run and what they need. */
function templateUpdateErrors(job: KubeObject, old: KubeObject): readonly FieldError[] {
  const template = objectAt(specOf(job), 'template') ?? {};
  let before = objectAt(specOf(old), 'template') ?? {};
  if (waits(old)) before = withWaitingChanges(before, template);
  return unchanged('spec.template', template, before);
}

function waits(job: KubeObject): boolean {
  const status = statusOf(job);
  const suspended = specOf(job)['suspend'] === true;
  return suspended && !isThere(status['startTime']) && (numberAt(status, 'active') ?? 0) === 0;
}

function withWaitingChanges(before: JsonObject, template: JsonObject): JsonObject {
  const now = objectAt(template, 'spec') ?? {};
  const spec: JsonObject = { ...objectAt(before, 'spec') };
  for (const key of directives) spec[key] = now[key];
  for (const key of ['containers', 'initContainers']) {
    const containers = now[key];
    const old = spec[key];
    if (!Array.isArray(containers) || !Array.isArray(old) || containers.length !== old.length) continue;
    spec[key] = old.map((container: JsonObject, index) => ({
      ...container,
      resources: (containers[index] as JsonObject | undefined)?.['resources'],
    }));
  }
  return { ...before, metadata: template['metadata'], spec };
}

export const jobStrategy: Strategy = {
  applyDefaults,
  prepareForCreate(draft) {
    generateSelector(draft);
    emptyStatus(draft);
  },
  validate,
  validateUpdate: (job, old) => [
    ...completionsUpdateErrors(specOf(job), specOf(old)),
    ...unchangedFields(specOf(job), specOf(old), 'spec', ['selector']),
    ...templateUpdateErrors(job, old),
    ...unchangedFields(specOf(job), specOf(old), 'spec', fixed),
  ],
  validateSubresource: (subresource, job) =>
    subresource === 'status'
      ? notNegativeFields(statusOf(job), 'status', ['active', 'ready', 'succeeded', 'failed', 'terminating'])
      : [],
  selectableFields: (job) => ({ 'status.successful': String(numberAt(statusOf(job), 'succeeded') ?? 0) }),
  defaultPropagation: 'Orphan',
};

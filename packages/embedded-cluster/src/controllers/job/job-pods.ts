import type { Container } from 'kubernetes-types/core/v1.js';
import { generatedName, podFromTemplate } from '../common/pod-template.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';
import { completionIndex, trackingFinalizer } from './job-fields.ts';

const indexVariable = 'JOB_COMPLETION_INDEX';
/** A generated name's length, without its random suffix. */
const maxPrefix = 58;

export function newJobPod(job: JobObject, index: number | undefined): PodObject {
  const { name } = job.metadata;
  if (index === undefined) {
    return podFromTemplate(job.spec.template, job, { ...generatedName(name), finalizers: [trackingFinalizer] });
  }
  const ending = `-${index}-`;
  const mark = { [completionIndex]: String(index) };
  const pod = podFromTemplate(job.spec.template, job, {
    generateName: `${name.slice(0, maxPrefix - ending.length)}${ending}`,
    labels: mark,
    annotations: mark,
    finalizers: [trackingFinalizer],
  });
  const { spec } = pod;
  spec.hostname = `${name}-${index}`;
  spec.containers = spec.containers.map(withIndexVariable);
  if (spec.initContainers) spec.initContainers = spec.initContainers.map(withIndexVariable);
  return pod;
}

function withIndexVariable(container: Container): Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.labels['${completionIndex}']`;
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }] };
}

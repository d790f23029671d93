import { type FieldError, invalid } from '@holdfast/base/field-errors';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { badRequest, invalidObject } from '../../errors.ts';
import { isTrue } from '../../http/request-info.ts';
import { type LogOptions, logOf, statusOfContainer } from './log.ts';

export interface LogQuery {
  readonly container: string;
  readonly follow: boolean;
  readonly options: LogOptions;
}

/** PodLogOptions, as they stand in the query. */
export function readLogQuery(query: URLSearchParams, pod: string): LogQuery {
  const errors: FieldError[] = [];
  const tailLines = readNumber(query, 'tailLines', 0, errors);
  const limitBytes = readNumber(query, 'limitBytes', 1, errors);
  const sinceTime = query.get('sinceTime');
  const sinceMs = sinceTime === null ? Number.NaN : Date.parse(sinceTime);
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, pod, errors);
  return {
    container: query.get('container') ?? '',
    follow: isTrue(query.get('follow')),
    options: {
      previous: isTrue(query.get('previous')),
      timestamps: isTrue(query.get('timestamps')),
      ...(tailLines === undefined ? {} : { tailLines }),
      ...(limitBytes === undefined ? {} : { limitBytes }),
      ...(Number.isNaN(sinceMs) ? {} : { sinceMs }),
    },
  };
}

function readNumber(query: URLSearchParams, name: string, minimum: number, errors: FieldError[]): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?[0-9]{1,15}$/.test(text)) {
    throw badRequest(
      `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${/^-?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax'}`,
    );
  }
  const value = Number(text);
  const rule = minimum === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0';
  if (value < minimum) errors.push(invalid(name, value, rule));
  return value;
}

/** The log as it is now, or why there is none. */
export function logAnswer(pod: PodObject, container: string, options: LogOptions): string {
  // No kubelet has begun with a pod that has no node; the API server itself then has nothing to say.
  if (!pod.spec.nodeName) return '';
  const status = statusOfContainer(pod, container);
  const of = `container "${container}" in pod "${pod.metadata.name}"`;
  if (options.previous) {
    if (!status?.lastState?.terminated) throw badRequest(`previous terminated ${of} not found`);
    return logOf(pod, container, options);
  }
  const waiting = status?.state?.waiting;
  // While it waits to be started again, the log is the one of its last run.
  if (waiting && status.lastState?.terminated) return logOf(pod, container, { ...options, previous: true });
  if (status === undefined || waiting) {
    const reason = waiting?.reason;
    const pulling = reason === 'ErrImagePull' || reason === 'ImagePullBackOff';
    const why = pulling ? 'trying and failing to pull image' : (reason ?? 'ContainerCreating');
    throw badRequest(`${of} is waiting to start: ${why}`);
  }
  return logOf(pod, container, options);
}

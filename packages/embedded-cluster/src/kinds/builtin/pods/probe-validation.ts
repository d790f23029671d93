import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { notNegativeFields, portErrors } from '../checks/field-checks.ts';
import { isThere, listAt, numberAt, objectAt, objectsAt, textAt } from '../checks/read.ts';
import { headerNameProblems } from '../checks/syntax.ts';

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** Exactly one way to act, and that one complete: for probes and for lifecycle hooks. */
function handlerErrors(parent: JsonObject, path: string, graceSeconds: number): readonly FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const name of handlers) {
    const handler = objectAt(parent, name);
    if (handler === undefined) continue;
    if (found > 0) errors.push(forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
    else errors.push(...actionErrors(name, handler, `${path}.${name}`, graceSeconds));
    found++;
  }
  return found === 0 ? [required(path, 'must specify a handler type')] : errors;
}

function actionErrors(
  name: (typeof handlers)[number],
  action: JsonObject,
  path: string,
  graceSeconds: number,
): readonly FieldError[] {
  switch (name) {
    case 'exec':
      return listAt(action, 'command').length === 0 ? [required(`${path}.command`, '')] : [];
    case 'httpGet':
      return httpErrors(action, path);
    case 'tcpSocket':
    case 'grpc':
      return portErrors(action['port'], `${path}.port`);
    case 'sleep':
      return sleepErrors(action, path, graceSeconds);
  }
}

function sleepErrors(action: JsonObject, path: string, graceSeconds: number): readonly FieldError[] {
  const seconds = numberAt(action, 'seconds') ?? 0;
  if (seconds >= 0 && seconds <= graceSeconds) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, seconds, detail)];
}

const schemes = ['HTTP', 'HTTPS'] as const;

function httpErrors(action: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(action, 'path') === '') errors.push(required(`${path}.path`, ''));
  errors.push(...portErrors(action['port'], `${path}.port`));
  const scheme = textAt(action, 'scheme');
  if (!(schemes as readonly string[]).includes(scheme)) errors.push(notSupported(`${path}.scheme`, scheme, schemes));
  for (const header of objectsAt(action, 'httpHeaders')) {
    const name = textAt(header, 'name');
    for (const problem of headerNameProblems(name)) errors.push(invalid(`${path}.httpHeaders`, name, problem));
  }
  return errors;
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function probeErrors(probe: JsonObject, path: string, graceSeconds: number): readonly FieldError[] {
  const own = numberAt(probe, 'terminationGracePeriodSeconds');
  return [
    ...handlerErrors(probe, path, graceSeconds),
    ...notNegativeFields(probe, path, counts),
    ...(own !== undefined && own <= 0
      ? [invalid(`${path}.terminationGracePeriodSeconds`, own, 'must be greater than 0')]
      : []),
  ];
}

/** Liveness and startup probes: one success is enough, always. */
function restartingProbeErrors(probe: JsonObject, path: string, graceSeconds: number): readonly FieldError[] {
  const errors = probeErrors(probe, path, graceSeconds);
  const threshold = numberAt(probe, 'successThreshold') ?? 0;
  return threshold === 1 ? errors : [...errors, invalid(`${path}.successThreshold`, threshold, 'must be 1')];
}

/** Probes that only tell, and restart nothing. */
function tellingProbeErrors(
  probe: JsonObject,
  path: string,
  graceSeconds: number,
  kind: string,
): readonly FieldError[] {
  const errors = probeErrors(probe, path, graceSeconds);
  const field = 'terminationGracePeriodSeconds';
  if (!isThere(probe[field])) return errors;
  return [...errors, invalid(`${path}.${field}`, probe[field], `must not be set for ${kind}`)];
}

/** All probes of a container, and its hooks. */
export function livelinessErrors(container: JsonObject, path: string, graceSeconds: number): readonly FieldError[] {
  const errors: FieldError[] = [];
  const lifecycle = objectAt(container, 'lifecycle');
  for (const hook of ['postStart', 'preStop']) {
    const handler = objectAt(lifecycle, hook);
    if (handler !== undefined) errors.push(...handlerErrors(handler, `${path}.lifecycle.${hook}`, graceSeconds));
  }
  const liveness = objectAt(container, 'livenessProbe');
  if (liveness) errors.push(...restartingProbeErrors(liveness, `${path}.livenessProbe`, graceSeconds));
  const readiness = objectAt(container, 'readinessProbe');
  if (readiness)
    errors.push(...tellingProbeErrors(readiness, `${path}.readinessProbe`, graceSeconds, 'readinessProbes'));
  const startup = objectAt(container, 'startupProbe');
  if (startup) errors.push(...restartingProbeErrors(startup, `${path}.startupProbe`, graceSeconds));
  const disruption = objectAt(container, 'disruptionProbe');
  if (disruption) {
    errors.push(...tellingProbeErrors(disruption, `${path}.disruptionProbe`, graceSeconds, 'disruptionProbes'));
  }
  return errors;
}

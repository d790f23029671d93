import { type FieldError, failed, forbidden, invalid, type Parsed, parsed, required } from '../field-errors.ts';
import { type Fields, isInt32From, isObject } from '../json.ts';
import { handlerParsers, type ProbeHandler, unknownFieldErrors } from './probe-handler.ts';

/** A Kubernetes probe with every default filled in. */
export interface Probe {
  readonly handler: ProbeHandler;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

type Timing = Omit<Probe, 'handler'>;

/** As the kubelet has them. */
const defaults: Timing = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
};

const minimums: Timing = {
  initialDelaySeconds: 0,
  periodSeconds: 1,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 1,
};

/**
 * The agent of a node has few probes under way at a time: one that may take an hour keeps others from being asked. The kubelet knows
 * no such limit, because its probes are not shared.
 */
const maxTimeoutSeconds = 60;

const timingNames = Object.keys(defaults) as readonly (keyof Timing)[];
const handlerNames = Object.keys(handlerParsers) as readonly (keyof typeof handlerParsers)[];

/** Every field that a probe may have. */
export const probeFields: readonly string[] = [...handlerNames, ...timingNames];

/** As a kubelet reads it. */
export function parseProbe(source: unknown, field: string): Parsed<Probe> {
  if (!isObject(source)) return failed(invalid(field, source, 'must be an object'));
  const errors = [...unknownFieldErrors(source, probeFields, field), ...timingErrors(source, field)];
  const handler = parseHandler(source, field);
  if (!handler.ok) return failed(...errors, ...handler.errors);
  if (errors.length > 0) return failed(...errors);
  const given = timingNames.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]);
  return parsed({ ...defaults, ...Object.fromEntries(given), handler: handler.value });
}

/** A probe that an agent runs beside those of other tenants. */
export function parseDisruptionProbe(source: unknown, field: string): Parsed<Probe> {
  const read = parseProbe(source, field);
  if (!read.ok) return read;
  const probe = read.value;
  const longest = Math.min(probe.periodSeconds, maxTimeoutSeconds);
  if (probe.timeoutSeconds <= longest) return parsed(probe);
  const detail = `must be at most periodSeconds, and at most ${maxTimeoutSeconds}: here ${longest}`;
  return failed(invalid(`${field}.timeoutSeconds`, probe.timeoutSeconds, detail));
}

function timingErrors(source: Fields, field: string): readonly FieldError[] {
  return timingNames
    .filter((name) => source[name] !== undefined && !isInt32From(minimums[name], source[name]))
    .map((name) =>
      invalid(`${field}.${name}`, source[name], `must be a 32-bit integer greater than or equal to ${minimums[name]}`),
    );
}

function parseHandler(source: Fields, field: string): Parsed<ProbeHandler> {
  const [name, ...more] = handlerNames.filter((candidate) => source[candidate] !== undefined);
  if (name === undefined) return failed(required(field, `must have one of ${handlerNames.join(', ')}`));
  if (more.length > 0) {
    return failed(...more.map((extra) => forbidden(`${field}.${extra}`, `may not be given together with ${name}`)));
  }
  return handlerParsers[name](source[name], `${field}.${name}`);
}

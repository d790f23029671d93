import {
  type FieldError,
  failed,
  forbidden,
  invalid,
  notSupported,
  type Parsed,
  parsed,
  required,
} from '../field-errors.ts';
import { type Fields, isInt32From, isObject } from '../json.ts';

interface HttpHeader {
  readonly name: string;
  readonly value: string;
}

/** A port by number, or by the name that the container gives it. */
type ProbePort = number | string;

export type ProbeHandler =
  | {
      readonly kind: 'httpGet';
      readonly path: string;
      readonly port: ProbePort;
      readonly scheme: 'HTTP' | 'HTTPS';
      readonly host?: string;
      readonly httpHeaders: readonly HttpHeader[];
    }
  | { readonly kind: 'tcpSocket'; readonly port: ProbePort; readonly host?: string }
  | { readonly kind: 'grpc'; readonly port: number; readonly service: string }
  | { readonly kind: 'exec'; readonly command: readonly string[] };

type Parse = (source: unknown, field: string) => Parsed<ProbeHandler>;

export const handlerParsers: Readonly<Record<ProbeHandler['kind'], Parse>> = {
  httpGet: parseHttpGet,
  tcpSocket: parseTcpSocket,
  grpc: parseGrpc,
  exec: parseExec,
};

function parseHttpGet(source: unknown, field: string): Parsed<ProbeHandler> {
  if (!isObject(source)) return notAnObject(source, field);
  const { port, scheme = 'HTTP', host, httpHeaders = [] } = source;
  // Kubernetes takes an empty path for an absent one.
  const path = source['path'] === undefined || source['path'] === '' ? '/' : source['path'];
  const errors = [
    ...unknownFieldErrors(source, ['path', 'port', 'scheme', 'host', 'httpHeaders'], field),
    ...textErrors(path, `${field}.path`),
    ...portErrors(port, `${field}.port`),
    ...(scheme === 'HTTP' || scheme === 'HTTPS' ? [] : [notSupported(`${field}.scheme`, scheme, ['HTTP', 'HTTPS'])]),
    ...(host === undefined ? [] : textErrors(host, `${field}.host`)),
    ...headerErrors(httpHeaders, `${field}.httpHeaders`),
  ];
  if (errors.length > 0) return failed(...errors);
  // Safe here and below: each field was just checked.
  return parsed({
    kind: 'httpGet',
    path: path as string,
    port: port as ProbePort,
    scheme: scheme as 'HTTP' | 'HTTPS',
    ...(host === undefined ? {} : { host: host as string }),
    httpHeaders: httpHeaders as readonly HttpHeader[],
  });
}

function parseTcpSocket(source: unknown, field: string): Parsed<ProbeHandler> {
  if (!isObject(source)) return notAnObject(source, field);
  const { port, host } = source;
  const errors = [
    ...unknownFieldErrors(source, ['port', 'host'], field),
    ...portErrors(port, `${field}.port`),
    ...(host === undefined ? [] : textErrors(host, `${field}.host`)),
  ];
  if (errors.length > 0) return failed(...errors);
  return parsed({
    kind: 'tcpSocket',
    port: port as ProbePort,
    ...(host === undefined ? {} : { host: host as string }),
  });
}

function parseGrpc(source: unknown, field: string): Parsed<ProbeHandler> {
  if (!isObject(source)) return notAnObject(source, field);
  const { port, service = '' } = source;
  const errors = [
    ...unknownFieldErrors(source, ['port', 'service'], field),
    ...(typeof port === 'string'
      ? [invalid(`${field}.port`, port, 'must be a number: a gRPC probe knows no named ports')]
      : portErrors(port, `${field}.port`)),
    ...textErrors(service, `${field}.service`),
  ];
  if (errors.length > 0) return failed(...errors);
  return parsed({ kind: 'grpc', port: port as number, service: service as string });
}

function parseExec(source: unknown, field: string): Parsed<ProbeHandler> {
  if (!isObject(source)) return notAnObject(source, field);
  const { command } = source;
  const errors = [...unknownFieldErrors(source, ['command'], field), ...commandErrors(command, `${field}.command`)];
  if (errors.length > 0) return failed(...errors);
  return parsed({ kind: 'exec', command: command as readonly string[] });
}

function notAnObject<T>(source: unknown, field: string): Parsed<T> {
  return failed(invalid(field, source, 'must be an object'));
}

/** A misspelt field would otherwise silently become a default. */
export function unknownFieldErrors(source: Fields, known: readonly string[], field: string): readonly FieldError[] {
  return Object.keys(source)
    .filter((name) => !known.includes(name))
    .map((name) => forbidden(`${field}.${name}`, `is not one of ${known.join(', ')}`));
}

function commandErrors(command: unknown, field: string): readonly FieldError[] {
  if (command === undefined) return [required(field, 'must name the program to run')];
  if (!Array.isArray(command)) return [invalid(field, command, 'must be a list')];
  if (command.length === 0) return [required(field, 'must name the program to run')];
  return command.flatMap((word, index) =>
    typeof word === 'string' ? [] : [invalid(`${field}[${index}]`, word, 'must be a string')],
  );
}

/** Line breaks in a path, a host or a header would let a pod write requests of its own into the prober's. */
function textErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  return /\p{Cc}/u.test(value) ? [invalid(field, value, 'must not contain control characters')] : [];
}

function headerErrors(headers: unknown, field: string): readonly FieldError[] {
  if (!Array.isArray(headers)) return [invalid(field, headers, 'must be a list')];
  return headers.flatMap((header, index) => oneHeaderErrors(header, `${field}[${index}]`));
}

function oneHeaderErrors(header: unknown, field: string): readonly FieldError[] {
  if (!isObject(header)) return [invalid(field, header, 'must be an object')];
  const { name, value } = header;
  const errors = [...unknownFieldErrors(header, ['name', 'value'], field), ...textErrors(value, `${field}.value`)];
  if (typeof name === 'string' && /^[-A-Za-z0-9]+$/.test(name)) return errors;
  return [...errors, invalid(`${field}.name`, name, 'must consist of letters, digits or -')];
}

function portErrors(port: unknown, field: string): readonly FieldError[] {
  if (port === undefined) return [required(field, 'must be a port number or name')];
  if (typeof port === 'string') {
    return isPortName(port)
      ? []
      : [invalid(field, port, 'must be a port name: at most 15 of a-z, 0-9 and single -, with a letter')];
  }
  return isInt32From(1, port) && port <= 65_535 ? [] : [invalid(field, port, 'must be between 1 and 65535')];
}

/** IANA_SVC_NAME of RFC 6335. */
function isPortName(name: string): boolean {
  return name.length <= 15 && /[a-z]/.test(name) && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
}

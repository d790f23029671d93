import { ApiError, badRequest } from '../errors.ts';
import { splitApiVersion } from '../objects.ts';
import { decodeMessage } from './decode.ts';
import { messageNameOf } from './messages.ts';
import { WireError } from './wire.ts';
import { bytesOf, fieldOf, textOf } from './wire-values.ts';

export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** Every body begins with this; an envelope that says kind and version of the object in it follows. */
export const envelopePrefix = Buffer.from('k8s\0', 'latin1');

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** The object in a protobuf body, exactly as it would have stood in a JSON body. */
export function decodeProtobuf(bytes: Buffer): unknown {
  const { apiVersion, kind, raw } = readEnvelope(bytes);
  const message = messageNameOf(apiVersion, kind);
  if (message === undefined) throw unknownKind(apiVersion, kind);
  try {
    return { kind, apiVersion, ...(decodeMessage(message, raw) as object) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const { version } = splitApiVersion(apiVersion);
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`);
  }
}

function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw unrecognized('empty data');
  if (!bytes.subarray(0, envelopePrefix.length).equals(envelopePrefix)) {
    const expected = `[${[...envelopePrefix].join(' ')}]`;
    throw unrecognized(`provided data does not appear to be a protobuf message, expected prefix ${expected}`);
  }
  const envelope = openEnvelope(bytes.subarray(envelopePrefix.length));
  if (envelope.kind === '') throw unrecognized("Object 'Kind' is missing in the envelope of the protobuf message");
  return envelope;
}

function openEnvelope(bytes: Buffer): Envelope {
  try {
    const typeMeta = fieldOf(bytes, 1);
    const type = typeMeta ? bytesOf(typeMeta) : Buffer.alloc(0);
    const raw = fieldOf(bytes, 2);
    return {
      apiVersion: textOf(fieldOf(type, 1)),
      kind: textOf(fieldOf(type, 2)),
      raw: raw ? bytesOf(raw) : Buffer.alloc(0),
    };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw unrecognized(error.message);
  }
}

function unrecognized(why: string): ApiError {
  return badRequest(`the object provided is unrecognized: ${why}`);
}

function unknownKind(apiVersion: string, kind: string): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json, ' +
      `application/yaml: no protobuf message is known for kind "${kind}" in version "${apiVersion}"; send it as JSON`,
  });
}

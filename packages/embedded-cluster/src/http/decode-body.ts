import type { IncomingMessage } from 'node:http';
import { badRequest, isApiError, unsupportedMediaType } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { decodeProtobuf, protobufMediaType } from '../protobuf/protobuf.ts';
import { asObject, checkFields } from '../registry/decode.ts';
import type { WriteContext } from '../registry/write-context.ts';
import { isJsonObject } from '../schema/json-values.ts';
import { parseBody, readBody } from './body.ts';
import { mediaType } from './negotiate.ts';

const accepted = ['application/json', 'application/yaml', protobufMediaType];

/** The object in the body of a create or update, with nothing in it that its kind does not have. */
export async function readObjectBody(
  request: IncomingMessage,
  type: ResourceType,
  context: WriteContext,
): Promise<KubeObject> {
  const bytes = await readBody(request);
  const { value, text } = decodeAs(type.kind, bytes, mediaType(request.headers['content-type']));
  if (type.custom && isJsonObject(value)) checkNamed(type.kind, value, bytes);
  const object = asObject(type, value);
  checkFields(type, object, context, text);
  return object;
}

/** Objects of custom kinds must say of which kind they are; those of built-in ones are taken for what they were sent to. */
function checkNamed(kind: string, value: JsonObject, bytes: Buffer): void {
  if (typeof value['kind'] === 'string' && value['kind'] !== '') return;
  const why = `Object 'Kind' is missing in '${bytes.toString('utf8', 0, shownObjectBytes)}'`;
  throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${beginningOf(bytes)})`);
}

/** What is no object at all is shown to its sender, as far as that helps. */
function decodeAs(kind: string, bytes: Buffer, contentType: string): { value: unknown; text?: string } {
  try {
    return decode(bytes, contentType);
  } catch (error) {
    if (!isApiError(error, 400)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${error.message} (${beginningOf(bytes)})`,
    );
  }
}

const shownBytes = 30;
/** The real server shows all of it, however long it is. */
const shownObjectBytes = 4_096;

function beginningOf(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const text = bytes.subarray(0, shownBytes).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > shownBytes ? `${text} ...` : text;
}

function decode(bytes: Buffer, contentType: string): { value: unknown; text?: string } {
  if (contentType === protobufMediaType) return { value: decodeProtobuf(bytes) };
  const format = formatOf(contentType);
  if (!format) throw unsupportedMediaType(accepted);
  const text = bytes.toString('utf8');
  return { value: parseBody(text, format), text };
}

function formatOf(contentType: string): 'json' | 'yaml' | undefined {
  if (contentType === '' || contentType === 'application/json') return 'json';
  return contentType === 'application/yaml' || contentType === 'text/yaml' ? 'yaml' : undefined;
}

export interface PatchBody {
  readonly value: unknown;
  readonly text: string;
}

/** The body of a PATCH, whose media type says what kind of patch it is. */
export async function readPatchBody(request: IncomingMessage, format: 'json' | 'yaml'): Promise<PatchBody> {
  const text = (await readBody(request)).toString('utf8');
  try {
    return { value: parseBody(text, format), text };
  } catch (error) {
    if (format === 'json' && isApiError(error, 400)) throw badRequest('invalid JSON patch');
    throw error;
  }
}

/** Any other body: options of a DELETE, an Eviction, a Binding. Undefined when there is none, unless it has to be of a kind. */
export async function readAnyBody(request: IncomingMessage, kind?: string): Promise<unknown> {
  const bytes = await readBody(request);
  const contentType = mediaType(request.headers['content-type']);
  if (kind !== undefined) return decodeAs(kind, bytes, contentType).value;
  return bytes.length === 0 ? undefined : decode(bytes, contentType).value;
}

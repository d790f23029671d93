import type { JsonObject } from '../objects.ts';
import { isJsonObject } from '../schema/json-values.ts';
import { writeMessage } from './encode.ts';
import { messageNameOf } from './messages.ts';
import { envelopePrefix } from './protobuf.ts';
import { WireWriter } from './wire-writer.ts';

/** Whether objects of a kind can be said in protobuf; those of custom kinds cannot. */
export function hasMessage(apiVersion: string, kind: string): boolean {
  return messageNameOf(apiVersion, kind) !== undefined;
}

/** An object in its envelope. Undefined where there is no message for it: a table, a document. */
export function encodeProtobuf(body: unknown): Buffer | undefined {
  const writer = new WireWriter();
  return writeEnvelope(writer, body) ? writer.done() : undefined;
}

/** An event of a watch. The length comes first, so that a reader knows where the next begins. */
export function encodeEvent(type: string, object: unknown): Buffer {
  const writer = new WireWriter();
  if (!writeEnvelope(writer, object)) throw new Error(`an event has no protobuf: ${kindOf(object)}`);
  writer.length(1, 0);
  writer.length(2, 0);
  writer.textField(1, type);
  writer.uint32(writer.size);
  return writer.done();
}

function writeEnvelope(writer: WireWriter, body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  const { apiVersion, kind } = body;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
  const before = writer.size;
  if (!writeContent(writer, apiVersion, kind, body)) return false;
  writer.length(2, before);
  writeBeginning(writer, apiVersion, kind);
  return true;
}

/** What stands before the content of an envelope. */
export function writeBeginning(writer: WireWriter, apiVersion: string, kind: string): void {
  const before = writer.size;
  writer.textField(2, kind);
  writer.textField(1, apiVersion);
  writer.length(1, before);
  writer.bytes(envelopePrefix);
}

function writeContent(writer: WireWriter, apiVersion: string, kind: string, body: JsonObject): boolean {
  const message = messageNameOf(apiVersion, kind);
  if (message !== undefined) writeMessage(writer, message, body);
  return message !== undefined;
}

function kindOf(object: unknown): string {
  return isJsonObject(object) ? `${String(object['apiVersion'])} ${String(object['kind'])}` : typeof object;
}

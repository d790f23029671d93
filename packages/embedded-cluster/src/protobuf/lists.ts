import { setImmediate as turn } from 'node:timers/promises';
import type { JsonObject } from '../objects.ts';
import { writeBeginning } from './answers.ts';
import { writeMessage } from './encode.ts';
import { messageNameOf } from './messages.ts';
import { WireWriter } from './wire-writer.ts';

export interface ListHead {
  readonly apiVersion: string;
  /** Of the items. */
  readonly kind: string;
  readonly listKind: string;
  readonly metadata: JsonObject;
}

/** How many items are encoded before other requests run: a list of all pods takes a second, and no other client is to wait for it. */
const itemsAtATime = 250;

/** A list in its envelope, in parts. All lists are alike, whatever they hold: their metadata, and then the items. */
export async function encodeProtobufList(head: ListHead, items: readonly unknown[]): Promise<readonly Buffer[]> {
  const message = messageNameOf(head.apiVersion, head.kind);
  if (message === undefined) throw new Error(`a list of ${head.kind} has no protobuf`);
  const parts: Buffer[] = [];
  for (let start = 0; start < items.length; start += itemsAtATime) {
    if (start > 0) await turn();
    parts.push(itemBytes(message, items.slice(start, start + itemsAtATime)));
  }
  return [headBytes(head, parts), ...parts];
}

function itemBytes(message: string, items: readonly unknown[]): Buffer {
  const writer = new WireWriter();
  for (const item of items.toReversed()) {
    const before = writer.size;
    writeMessage(writer, message, item);
    writer.length(2, before);
  }
  return writer.done();
}

/** Everything before the items, whose length it says. */
function headBytes({ apiVersion, listKind, metadata }: ListHead, parts: readonly Buffer[]): Buffer {
  const writer = new WireWriter();
  writeMessage(writer, 'meta.v1.ListMeta', metadata);
  writer.length(1, 0);
  writer.varint(parts.reduce((sum, part) => sum + part.length, writer.size));
  writer.tag(2, 'bytes');
  writeBeginning(writer, apiVersion, listKind);
  return writer.done();
}

import recorded from './data/messages.json' with { type: 'json' };

/** What `scripts/record-protobuf.ts` wrote down of the messages of Kubernetes. */

export const fieldFlags = {
  /** The field is a list. */
  repeated: 1,
  /** The field maps texts to values of the type. */
  map: 2,
  /** In JSON, the fields of this message stand among the fields of the message around it. */
  inline: 4,
  /**
   * JSON has no zero of this number, text or truth value. Messages say them all, unless they are pointers in Go, so a zero
   * is a value that was set only if the field is a pointer (`replicas: 0`) or one that JSON always has.
   */
  leavesOutZero: 8,
} as const;

/** `type` is a scalar type of protobuf or the name of a message. */
export type MessageField = readonly [number: number, name: string, type: string, flags: number];

export interface RecordedMessages {
  /** Name of the message by `apiVersion/kind`. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, readonly MessageField[]>>;
}

type Fields = ReadonlyMap<number, MessageField>;

const { kinds, messages } = recorded as unknown as RecordedMessages;
const messageOfKind: ReadonlyMap<string, string> = new Map(Object.entries(kinds));
const fieldsByNumber = new Map<string, Fields>();
const fieldsBackwards = new Map<string, readonly MessageField[]>();

/** Every group has the options of a deletion under its own version. */
const deleteOptions = 'DeleteOptions';

export function messageNameOf(apiVersion: string, kind: string): string | undefined {
  return messageOfKind.get(kind === deleteOptions ? `v1/${kind}` : `${apiVersion}/${kind}`);
}

export function fieldsOf(message: string): Fields {
  const known = fieldsByNumber.get(message);
  if (known) return known;
  const fields: Fields = new Map((messages[message] ?? []).map((field) => [field[0], field]));
  fieldsByNumber.set(message, fields);
  return fields;
}

/** The one with the highest number first. */
export function fieldsFromLast(message: string): readonly MessageField[] {
  const known = fieldsBackwards.get(message);
  if (known) return known;
  const fields = (messages[message] ?? []).toSorted((a, b) => b[0] - a[0]);
  fieldsBackwards.set(message, fields);
  return fields;
}

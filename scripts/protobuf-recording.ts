// Reads the protobuf messages of Kubernetes and the Go types behind them into the table of packages/embedded-cluster/src/protobuf/data.
//
// The .proto files say numbers and types. The Go types say what the JSON of a field is: its name, whether the fields of
// a message stand in place of the message, and whether a zero is left out.
import {
  fieldFlags,
  type MessageField,
  type RecordedMessages,
} from '../packages/embedded-cluster/src/protobuf/messages.ts';

/** One folder of Go source, and the .proto file generated from it. */
export interface GoPackage {
  /** Name of the proto package: `k8s.io.api.core.v1`. */
  readonly name: string;
  readonly proto: string;
  readonly go: string;
}

export interface WantedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Full name of its message. */
  readonly message: string;
}

interface ProtoField {
  readonly number: number;
  readonly label: 'optional' | 'repeated' | 'map';
  readonly type: string;
}

interface GoField {
  readonly name: string;
  readonly inline: boolean;
  readonly leavesOutZero: boolean;
}

const scalars = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double']);

/** The messages of these kinds with all that they are made of, except those that are read by code. */
export function recordMessages(
  packages: readonly GoPackage[],
  kinds: readonly WantedKind[],
  readByCode: ReadonlySet<string>,
): RecordedMessages {
  const messages = new Map(packages.flatMap(parseProto));
  const structs = new Map(packages.flatMap(parseGo));
  const recorded = new Map<string, readonly MessageField[]>();
  const pending = kinds.map(({ message }) => message);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (scalars.has(name) || readByCode.has(shortName(name)) || recorded.has(shortName(name))) continue;
    const fields = messages.get(name);
    if (!fields) throw new Error(`no .proto file has the message ${name}`);
    const struct = structs.get(name);
    recorded.set(
      shortName(name),
      fields.map((field) => recordField(name, field, struct?.get(field.number))),
    );
    pending.push(...fields.map(({ type }) => type));
  }
  return {
    kinds: Object.fromEntries(
      kinds.map(({ apiVersion, kind, message }) => [`${apiVersion}/${kind}`, shortName(message)]),
    ),
    messages: Object.fromEntries([...recorded].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function recordField(message: string, field: ProtoField, go: GoField | undefined): MessageField {
  if (!go) throw new Error(`the Go type of ${message} has no field ${field.number}`);
  const scalar = scalars.has(field.type);
  const flags =
    (field.label === 'repeated' ? fieldFlags.repeated : 0) |
    (field.label === 'map' ? fieldFlags.map : 0) |
    (go.inline ? fieldFlags.inline : 0) |
    (go.leavesOutZero && scalar && field.label === 'optional' ? fieldFlags.leavesOutZero : 0);
  return [field.number, go.name, scalar ? field.type : shortName(field.type), flags];
}

/** `core.v1.Pod` for `k8s.io.api.core.v1.Pod`. */
function shortName(message: string): string {
  return message.split('.').slice(-3).join('.');
}

function parseProto({ name, proto }: GoPackage): [string, readonly ProtoField[]][] {
  const messages: [string, readonly ProtoField[]][] = [];
  for (const [, message, body = ''] of proto.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    messages.push([`${name}.${message}`, body.split('\n').flatMap((line) => parseProtoField(name, line))]);
  }
  return messages;
}

function parseProtoField(packageName: string, line: string): ProtoField[] {
  const match = /^ {2}(?:(optional|repeated) (\S+)|map<string, (\S+)>) \w+ = (\d+);$/.exec(line);
  if (!match) return [];
  const [, label, single, mapValue, number] = match;
  const type = single ?? mapValue ?? '';
  return [
    {
      number: Number(number),
      label: label === 'repeated' ? 'repeated' : mapValue === undefined ? 'optional' : 'map',
      type: scalars.has(type) ? type : type.startsWith('.') ? type.slice(1) : `${packageName}.${type}`,
    },
  ];
}

function parseGo({ name, go }: GoPackage): [string, ReadonlyMap<number, GoField>][] {
  const structs: [string, ReadonlyMap<number, GoField>][] = [];
  for (const [, struct, body = ''] of go.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
    structs.push([`${name}.${struct}`, new Map(body.split('\n').flatMap(parseGoField))]);
  }
  return structs;
}

function parseGoField(line: string): [number, GoField][] {
  const [declaration = '', tags = ''] = line.trim().split('`');
  const number = /protobuf:"\w+,(\d+),/.exec(tags)?.[1];
  const json = /json:"([^"]*)"/.exec(tags)?.[1];
  if (number === undefined || json === undefined || line.trim().startsWith('//')) return [];
  const [name = '', ...options] = json.split(',');
  const type = declaration.trim().split(/\s+/).at(-1) ?? '';
  return [
    [
      Number(number),
      {
        name,
        inline: name === '',
        leavesOutZero: !type.startsWith('*') && options.includes('omitempty'),
      },
    ],
  ];
}

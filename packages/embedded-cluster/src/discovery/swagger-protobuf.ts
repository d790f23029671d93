import type { JsonObject } from '../objects.ts';
import { WireWriter } from '../protobuf/wire-writer.ts';
import { isJsonObject } from '../schema/json-values.ts';
import {
  any,
  double,
  type Fields,
  type FieldWriter,
  flag,
  inside,
  integer,
  listOf,
  mapOf,
  messageField,
  text,
  writeFields,
} from './swagger-fields.ts';

/**
 * The document of OpenAPI 2 in the protobuf of gnostic, which is the only form in which client-go, and so kubectl, reads it.
 * What no document of ours has (security, tags, files) has no number here.
 */
export function swaggerProtobuf(document: JsonObject): Buffer {
  const writer = new WireWriter();
  writeFields(writer, documentFields, document);
  return writer.done();
}

const schema: FieldWriter = (writer, number, value) => writeSchema(writer, number, value);

const additional: FieldWriter = (writer, number, value) =>
  (isJsonObject(value) ? inside(1, schema) : inside(2, flag))(writer, number, value);

/** One type, or several. */
const types: FieldWriter = (writer, number, value) =>
  inside(1, listOf(text))(writer, number, Array.isArray(value) ? value : [value]);

const items: FieldWriter = (writer, number, value) =>
  inside(1, listOf(schema))(writer, number, Array.isArray(value) ? value : [value]);

const writeSchema = messageField(
  [
    [1, '$ref', text],
    [2, 'format', text],
    [3, 'title', text],
    [4, 'description', text],
    [5, 'default', any],
    [6, 'multipleOf', double],
    [7, 'maximum', double],
    [8, 'exclusiveMaximum', flag],
    [9, 'minimum', double],
    [10, 'exclusiveMinimum', flag],
    [11, 'maxLength', integer],
    [12, 'minLength', integer],
    [13, 'pattern', text],
    [14, 'maxItems', integer],
    [15, 'minItems', integer],
    [16, 'uniqueItems', flag],
    [17, 'maxProperties', integer],
    [18, 'minProperties', integer],
    [19, 'required', listOf(text)],
    [20, 'enum', listOf(any)],
    [21, 'additionalProperties', additional],
    [22, 'type', types],
    [23, 'items', items],
    [25, 'properties', mapOf(1, schema)],
    [30, 'example', any],
  ],
  31,
);

const bodyParameter = messageField([
  [1, 'description', text],
  [2, 'name', text],
  [3, 'in', text],
  [4, 'required', flag],
  [5, 'schema', schema],
]);

const queryParameter = messageField([
  [1, 'required', flag],
  [2, 'in', text],
  [3, 'description', text],
  [4, 'name', text],
  [6, 'type', text],
  [7, 'format', text],
  [20, 'uniqueItems', flag],
]);

const pathParameter = messageField([
  [1, 'required', flag],
  [2, 'in', text],
  [3, 'description', text],
  [4, 'name', text],
  [5, 'type', text],
  [6, 'format', text],
  [19, 'uniqueItems', flag],
]);

const parameter: FieldWriter = (writer, number, value) => parameterIn(value as JsonObject)(writer, number, value);

/** By where it stands; each place has a message of its own within one within one. */
function parameterIn(value: JsonObject): FieldWriter {
  const place = value['in'];
  if (place === 'body') return inside(1, inside(1, bodyParameter));
  return inside(1, inside(2, place === 'path' ? inside(4, pathParameter) : inside(3, queryParameter)));
}

const response = messageField([
  [1, 'description', text],
  [2, 'schema', inside(1, schema)],
]);

const operation = messageField(
  [
    [1, 'tags', listOf(text)],
    [3, 'description', text],
    [5, 'operationId', text],
    [6, 'produces', listOf(text)],
    [7, 'consumes', listOf(text)],
    [8, 'parameters', listOf(parameter)],
    [9, 'responses', mapOf(1, inside(1, response))],
    [10, 'schemes', listOf(text)],
    [11, 'deprecated', flag],
  ],
  13,
);

const pathItem = messageField(
  [
    [2, 'get', operation],
    [3, 'put', operation],
    [4, 'post', operation],
    [5, 'delete', operation],
    [6, 'options', operation],
    [7, 'head', operation],
    [8, 'patch', operation],
    [9, 'parameters', listOf(parameter)],
  ],
  10,
);

const info = messageField([
  [1, 'title', text],
  [2, 'version', text],
]);

const documentFields: Fields = [
  [1, 'swagger', text],
  [2, 'info', info],
  [8, 'paths', mapOf(2, pathItem)],
  [9, 'definitions', mapOf(1, schema)],
];

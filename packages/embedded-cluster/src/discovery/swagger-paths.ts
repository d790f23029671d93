import type { JsonObject } from '../objects.ts';
import { swaggerReference } from './swagger-schemas.ts';

/** The paths of an OpenAPI 3 document in the words of OpenAPI 2: bodies are parameters, and media types are listed apart. */
export function swaggerPaths(paths: JsonObject): JsonObject {
  return mapped(paths, (item) =>
    mapped(item as JsonObject, (part, key) =>
      key === 'parameters' ? parameters(part) : swaggerOperation(part as JsonObject),
    ),
  );
}

function swaggerOperation(operation: JsonObject): JsonObject {
  const { requestBody, responses, parameters: inQuery = [], ...rest } = operation;
  const body = requestBody as { content: JsonObject; required?: boolean } | undefined;
  return {
    ...rest,
    consumes: Object.keys(body?.content ?? { '*/*': {} }),
    produces: ['application/json', 'application/yaml'],
    parameters: [...(body ? [bodyParameter(body.content, body.required === true)] : []), ...parameters(inQuery)],
    responses: mapped(responses as JsonObject, (response) => {
      const { content, ...described } = response as { content?: JsonObject };
      return content === undefined ? described : { ...described, schema: schemaIn(content) };
    }),
    schemes: ['https'],
  };
}

function bodyParameter(content: JsonObject, required: boolean): JsonObject {
  return { name: 'body', in: 'body', schema: schemaIn(content), ...(required ? { required } : {}) };
}

function parameters(list: unknown): JsonObject[] {
  return (list as JsonObject[]).map(({ schema, ...parameter }) => ({ ...parameter, ...(schema as JsonObject) }));
}

/** Of all media types the same. */
function schemaIn(content: JsonObject): JsonObject {
  const [first] = Object.values(content) as { schema: JsonObject }[];
  const { $ref: name, ...schema } = first?.schema ?? {};
  return typeof name === 'string' ? swaggerReference(name) : schema;
}

function mapped(object: JsonObject, convert: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value, key)]));
}

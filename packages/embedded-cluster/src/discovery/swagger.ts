import { createHash } from 'node:crypto';
import { recordedVersion } from '../kinds/recorded.ts';
import type { ResourceType, ResourceTypes } from '../kinds/resource-type.ts';
import type { RawSchema } from '../kinds/schema.ts';
import type { JsonObject } from '../objects.ts';
import type { DocumentAnswer } from './discovery.ts';
import { type SwaggerForm, swaggerProtobufType } from './negotiation.ts';
import { pathsOf } from './openapi-operations.ts';
import { definitionsFor, schemaClosure } from './openapi-schemas.ts';
import { servedGroups } from './served-groups.ts';
import { swaggerPaths } from './swagger-paths.ts';
import { swaggerProtobuf } from './swagger-protobuf.ts';
import { swaggerDefinition, swaggerSchema } from './swagger-schemas.ts';

/** `/openapi/v2`: everything in one document, for clients that know no other. Each form is made when it is first asked for. */
export function createSwagger(types: ResourceTypes): (form: SwaggerForm) => DocumentAnswer {
  let generation: number | undefined;
  const answers = new Map<SwaggerForm, DocumentAnswer>();
  return (form) => {
    if (generation !== types.generation) answers.clear();
    generation = types.generation;
    const known = answers.get(form);
    if (known) return known;
    const all = servedGroups(types).flatMap(({ versions }) => versions.flatMap((of) => of.types));
    const made = inForm[form](swaggerDocument(all));
    answers.set(form, made);
    return made;
  };
}

const inForm: Readonly<Record<SwaggerForm, (document: JsonObject) => DocumentAnswer>> = {
  json: (document) => tagged('application/json', JSON.stringify(document)),
  protobuf: (document) => tagged(swaggerProtobufType, swaggerProtobuf(document)),
};

function tagged(contentType: string, body: string | Buffer): DocumentAnswer {
  return { contentType, body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` };
}

function swaggerDocument(types: readonly ResourceType[]): JsonObject {
  const available = definitionsFor(types);
  const paths = pathsOf(types, available.nameOf);
  const customTypes = types.filter(({ custom }) => custom !== undefined);
  const custom = new Map(
    customTypes.map((type) => [available.nameOf(type.group, type.version, type.kind), type] as const),
  );
  const definitions = Object.entries(schemaClosure(paths, available)).map(([name, raw]) => {
    const type = custom.get(name);
    return [name, type ? customDefinition(type, raw as RawSchema) : swaggerDefinition(raw as RawSchema)];
  });
  const { major, minor } = recordedVersion;
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: `${major}.${minor}` },
    paths: swaggerPaths(paths),
    definitions: Object.fromEntries(definitions),
  };
}

const kindField = 'x-kubernetes-group-version-kind';

/** A kind that keeps everything says no more of itself than that it is an object. */
function customDefinition(type: ResourceType, raw: RawSchema): JsonObject {
  const open = raw['x-kubernetes-preserve-unknown-fields'] === true || type.custom?.preserveUnknownFields === true;
  return open ? { type: 'object', [kindField]: raw[kindField] } : swaggerSchema(raw);
}

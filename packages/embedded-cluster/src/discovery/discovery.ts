import { createHash } from 'node:crypto';
import type { ResourceTypes } from '../kinds/resource-type.ts';
import type { JsonObject } from '../objects.ts';
import { aggregatedDiscovery } from './aggregated.ts';
import { plainOrAggregated } from './negotiation.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './plain.ts';
import { type ServedGroup, servedGroups } from './served-groups.ts';

/** A document ready to be sent with status 200. */
export interface DocumentAnswer {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** With quotes, where the client may ask for changes only. */
  readonly etag?: string;
}

export interface Discovery {
  /** `/api`; undefined where the client accepts none of the forms. */
  api(accept: string | undefined): DocumentAnswer | undefined;
  /** `/apis`, likewise. */
  apis(accept: string | undefined): DocumentAnswer | undefined;
  /** `/apis/{group}`; undefined where there is no such group. */
  group(group: string): DocumentAnswer | undefined;
  /** `/api/{version}` for the core group, which has the empty name, else `/apis/{group}/{version}`. */
  version(group: string, version: string): DocumentAnswer | undefined;
}

/** Answers are made once and kept until the set of resources changes. */
export function createDiscovery(types: ResourceTypes, options: { readonly serverAddress: string }): Discovery {
  let generation = types.generation;
  let groups: readonly ServedGroup[] | undefined;
  let answers = new Map<string, DocumentAnswer>();

  function current(): readonly ServedGroup[] {
    if (generation !== types.generation) {
      generation = types.generation;
      groups = undefined;
      answers = new Map();
    }
    groups ??= servedGroups(types);
    return groups;
  }

  function answer(key: string, make: () => DocumentAnswer): DocumentAnswer {
    const known = answers.get(key);
    if (known) return known;
    const made = make();
    answers.set(key, made);
    return made;
  }

  function root(path: string, accept: string | undefined, plain: (all: readonly ServedGroup[]) => JsonObject) {
    const form = plainOrAggregated(accept);
    if (form === undefined) return undefined;
    const all = current();
    if (form === 'plain') return answer(`${path} plain`, () => json(plain(all)));
    const described = all.filter(({ group }) => (group === '') === (path === '/api'));
    const contentType = `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`;
    return answer(`${path} ${form}`, () => tagged(json(aggregatedDiscovery(described, form), contentType)));
  }

  return {
    api: (accept) => root('/api', accept, (all) => apiVersions(groupNamed(all, ''), options.serverAddress)),
    apis: (accept) => root('/apis', accept, apiGroupList),
    group(name) {
      const group = name === '' ? undefined : groupNamed(current(), name);
      return group && answer(`/apis/${name}`, () => json(apiGroup(group)));
    },
    version(name, version) {
      const served = groupNamed(current(), name)?.versions.find((of) => of.version === version);
      return served && answer(`/apis/${name}/${version}`, () => json(apiResourceList(name, served)));
    },
  };
}

function groupNamed(groups: readonly ServedGroup[], name: string): ServedGroup | undefined {
  return groups.find(({ group }) => group === name);
}

function json(document: JsonObject, contentType = 'application/json'): DocumentAnswer {
  return { contentType, body: `${JSON.stringify(document)}\n` };
}

function tagged(answer: DocumentAnswer): DocumentAnswer {
  const digest = createHash('sha512').update(answer.body).digest('hex').toUpperCase();
  return { ...answer, etag: `"${digest}"` };
}

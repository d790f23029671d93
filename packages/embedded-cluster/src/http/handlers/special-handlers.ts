import type { Authenticator } from '../../auth/authenticate.ts';
import type { RbacAuthorizer } from '../../auth/rbac/rbac.ts';
import { review } from '../../auth/reviews.ts';
import type { ServiceAccountTokens } from '../../auth/tokens/service-account-tokens.ts';
import { reviewToken } from '../../auth/tokens/token-review.ts';
import { badRequest, methodNotAllowed } from '../../errors.ts';
import { evict } from '../../eviction/eviction.ts';
import type { Component } from '../../health.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import { type JsonObject, type KubeObject, splitApiVersion } from '../../objects.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import type { PatchResult } from '../../patch/patch-result.ts';
import { bindPod } from '../../registry/binding.ts';
import type { Registry, Target } from '../../registry/registry.ts';
import { readScale, writeScale } from '../../registry/scale.ts';
import { isJsonObject } from '../../schema/json-values.ts';
import { readAnyBody, readPatchBody } from '../decode-body.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { mediaType } from '../negotiate.ts';
import { readDeleteOptions } from '../options.ts';
import { readComponents } from './component-handlers.ts';
import type { SpecialHandlers } from './resource-handler.ts';
import { contextOf } from './write-handlers.ts';

export interface SpecialOptions {
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly authorizer: RbacAuthorizer;
  readonly tokens: ServiceAccountTokens;
  /** Whom to ask for `componentstatuses`. */
  readonly components: readonly Component[];
  /** `pods/log`: what the container said. */
  readLog(exchange: Exchange, target: Target): Promise<Answer>;
}

type Handler = (exchange: Exchange, target: Target) => Promise<Answer>;

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

export function specialHandlers(options: SpecialOptions): SpecialHandlers {
  const { registry } = options;
  const byName = new Map<string, Handler>([
    ['pods/eviction', (exchange, target) => evictPod(registry, exchange, target)],
    ['pods/binding', (exchange, target) => bind(registry, exchange, target)],
    ['pods/log', (exchange, target) => options.readLog(exchange, target)],
    ['serviceaccounts/token', (exchange, target) => issueToken(options.tokens, exchange, target)],
  ]);
  return {
    subresource(type, name) {
      if (name === 'scale') return (exchange, target) => scale(registry, exchange, target);
      return byName.get(`${type.key}/${name}`);
    },
    virtual: (type) => virtualHandler(options, type),
    reading(type) {
      if (type.key !== 'componentstatuses') return undefined;
      return (exchange, target) => readComponents(registry, options.components, exchange, target);
    },
  };
}

function virtualHandler(options: SpecialOptions, type: ResourceType): ReturnType<SpecialHandlers['virtual']> {
  const { authenticator, authorizer, registry } = options;
  if (type.key === 'authentication.k8s.io/tokenreviews') {
    return async (_exchange, object) => reviewToken(object, authenticator);
  }
  if (type.key === 'bindings') {
    return async (exchange, object, context) => {
      await bindPod(registry, exchange.info.namespace, object.metadata.name, object, context);
      return success as unknown as KubeObject;
    };
  }
  if (type.group !== 'authorization.k8s.io' && type.group !== 'authentication.k8s.io') return undefined;
  return async (exchange, object) => {
    const { namespace } = exchange.info;
    const answer = review(object, { user: exchange.user, authorizer, namespace, nowMs: registry.clock.now() });
    if (!answer) throw methodNotAllowed();
    return answer;
  };
}

async function evictPod(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  const eviction = readEviction(await readAnyBody(exchange.request, 'Eviction'), target);
  await evict(registry, target, eviction, contextOf(exchange, 'CreateOptions'), (source) =>
    readDeleteOptions(source, new URLSearchParams()),
  );
  return { code: 201, body: success };
}

const evictionVersions = new Set(['policy/v1', 'policy/v1beta1']);

/** Clients may leave out what the path says; another kind than an Eviction is a mistake. */
function readEviction(body: unknown, target: Target): KubeObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('the body of the request must be an Eviction');
  const source = body as JsonObject;
  const apiVersion = source['apiVersion'] ?? 'policy/v1';
  const kind = source['kind'] ?? 'Eviction';
  if (typeof apiVersion !== 'string' || !evictionVersions.has(apiVersion) || kind !== 'Eviction') {
    const { version } = splitApiVersion(String(apiVersion));
    throw badRequest(`${String(kind)} in version "${version}" cannot be handled as a Eviction: it is another kind`);
  }
  const metadata = source['metadata'];
  if (metadata !== undefined && metadata !== null && (typeof metadata !== 'object' || Array.isArray(metadata))) {
    throw badRequest('metadata of an Eviction must be an object');
  }
  const { namespace } = (metadata ?? {}) as { namespace?: unknown };
  if (namespace && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const named = { name: '', ...(metadata as object), namespace: target.namespace };
  return { ...source, apiVersion: 'policy/v1', kind: 'Eviction', metadata: named };
}

async function bind(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  const body = await readAnyBody(exchange.request, 'Binding');
  if (!isJsonObject(body) || !isJsonObject(body['target'] ?? {}) || !isJsonObject(body['metadata'] ?? {})) {
    throw badRequest('the body of the request must be a Binding');
  }
  await bindPod(registry, target.namespace, target.name, body as KubeObject, contextOf(exchange, 'CreateOptions'));
  return { code: 201, body: success };
}

async function issueToken(tokens: ServiceAccountTokens, exchange: Exchange, target: Target): Promise<Answer> {
  const body = (await readAnyBody(exchange.request)) ?? {};
  if (!isJsonObject(body) || !isJsonObject(body['spec'] ?? {}) || !isJsonObject(body['metadata'] ?? {})) {
    throw badRequest('the body of the request must be a TokenRequest');
  }
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    ...body,
    metadata: { name: target.name, ...((body['metadata'] ?? {}) as object) },
  };
  return { code: 201, body: tokens.issue(target.namespace, target.name, request as KubeObject) };
}

async function scale(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  if (exchange.info.verb === 'get') return { code: 200, body: readScale(registry, target) };
  const change = exchange.info.verb === 'update' ? await replaced(exchange) : await patchedScale(exchange);
  return { code: 200, body: await writeScale(registry, target, contextOf(exchange, 'UpdateOptions'), change) };
}

async function replaced(exchange: Exchange): Promise<(scale: JsonObject) => JsonObject> {
  const body = await readAnyBody(exchange.request);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('the body of the request must be a Scale');
  return () => body as JsonObject;
}

async function patchedScale(exchange: Exchange): Promise<(scale: JsonObject) => JsonObject> {
  const contentType = mediaType(exchange.request.headers['content-type']);
  const { value } = await readPatchBody(exchange.request, contentType.endsWith('yaml') ? 'yaml' : 'json');
  if (contentType === 'application/json-patch+json') return (scale) => unwrapped(applyJsonPatch(scale, value));
  if (typeof value !== 'object' || value === null)
    throw badRequest('error decoding patch: the patch must be an object');
  // A Scale has no lists, so that every other kind of patch merges it in the same way.
  return (scale) => unwrapped(applyMergePatch(scale, value as JsonObject));
}

function unwrapped<T>(result: PatchResult<T>): T {
  if (!result.ok) throw result.error;
  return result.value;
}

import type { APIGroup, APIResourceList } from 'kubernetes-types/meta/v1.js';
import type { KubeClient } from '../client/client.ts';
import { groupPath, type ResourceName, versionPath } from '../client/resource.ts';
import { type Failure, failed, type Outcome, succeeded } from '../outcome/failure.ts';
import type { Clock } from '../time/clock.ts';

export interface KindResource extends ResourceName {
  readonly kind: string;
  readonly verbs: readonly string[];
  /** There is a scale subresource. */
  readonly scalable: boolean;
}

export interface KindName {
  /** Empty: the core group. */
  readonly group: string;
  /** Undefined: the one the server prefers. */
  readonly version?: string | undefined;
  readonly kind: string;
}

export interface DiscoveryOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** A kind that was not there is asked for again after this long: its definition may have come. */
  readonly missMs?: number;
  /** What was there is believed for this long: definitions change, too. */
  readonly hitMs?: number;
}

const defaultMissMs = 30_000;
const defaultHitMs = 600_000;
/** Whoever names owners chooses the names: what is remembered has an end. */
const maxRemembered = 1_000;

interface Remembered<T> {
  readonly at: number;
  readonly answer: Promise<Outcome<T>>;
}

/** Finds where objects of a kind live, also for kinds that nobody has heard of before. */
export class Discovery {
  readonly #options: Required<DiscoveryOptions>;
  readonly #groups = new Map<string, Remembered<string>>();
  readonly #versions = new Map<string, Remembered<ReadonlyMap<string, KindResource>>>();

  constructor(options: DiscoveryOptions) {
    this.#options = { missMs: defaultMissMs, hitMs: defaultHitMs, ...options };
  }

  /** Not found: the server has no such kind. Other failures may pass. */
  async resourceOf(name: KindName): Promise<Outcome<KindResource>> {
    const version = await this.#versionOf(name);
    if (!version.ok) return version;
    const found = await this.#lookUp(name.group, version.value, this.#options.hitMs, name.kind);
    if (!found.ok || found.value !== undefined) return orMissing(found, name);
    // The kind may be newer than what is remembered of its group.
    return orMissing(await this.#lookUp(name.group, version.value, this.#options.missMs, name.kind), name);
  }

  async #versionOf({ group, version }: KindName): Promise<Outcome<string>> {
    if (version !== undefined) return succeeded(version);
    if (group === '') return succeeded('v1');
    const { client } = this.#options;
    const path = groupPath(group);
    if (path === undefined) return failed(missing(`${group} cannot be a group`));
    return this.#remembered(this.#groups, group, this.#options.hitMs, async () => {
      const answer = await client.document<APIGroup>(path);
      if (!answer.ok) return answer;
      const preferred = answer.value.preferredVersion?.version ?? answer.value.versions?.[0]?.version;
      return preferred === undefined ? failed(missing(`group ${group} has no versions`)) : succeeded(preferred);
    });
  }

  async #lookUp(
    group: string,
    version: string,
    maxAge: number,
    kind: string,
  ): Promise<Outcome<KindResource | undefined>> {
    const { client } = this.#options;
    const path = versionPath(group, version);
    if (path === undefined) return failed(missing(`${group}/${version} cannot be an API`));
    const kinds = await this.#remembered(this.#versions, path, maxAge, async () => {
      const answer = await client.document<APIResourceList>(path);
      return answer.ok ? succeeded(kindsOf(answer.value, group, version)) : answer;
    });
    return kinds.ok ? succeeded(kinds.value.get(kind)) : kinds;
  }

  /** Those who ask at the same time share one request. A failure is forgotten soon, or at once when it may pass. */
  async #remembered<T>(
    memory: Map<string, Remembered<T>>,
    key: string,
    maxAge: number,
    ask: () => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const { clock, missMs } = this.#options;
    const known = memory.get(key);
    if (known !== undefined && clock.monotonic() - known.at < maxAge) {
      const answer = await known.answer;
      if (answer.ok || clock.monotonic() - known.at < missMs) return answer;
      // Somebody else may have asked again meanwhile.
      if (memory.get(key) !== known) return this.#remembered(memory, key, maxAge, ask);
    }
    const fresh: Remembered<T> = { at: clock.monotonic(), answer: ask() };
    if (memory.size >= maxRemembered) memory.clear();
    memory.set(key, fresh);
    const answer = await fresh.answer;
    if (!answer.ok && answer.failure.kind !== 'notFound' && memory.get(key) === fresh) memory.delete(key);
    return answer;
  }
}

function kindsOf(list: APIResourceList, group: string, version: string): ReadonlyMap<string, KindResource> {
  const kinds = new Map<string, KindResource>();
  const names = new Set((list.resources ?? []).map((resource) => resource.name));
  for (const { name, kind, namespaced, verbs } of list.resources ?? []) {
    if (name.includes('/')) continue;
    kinds.set(kind, { group, version, plural: name, namespaced, kind, verbs, scalable: names.has(`${name}/scale`) });
  }
  return kinds;
}

function orMissing(found: Outcome<KindResource | undefined>, name: KindName): Outcome<KindResource> {
  if (!found.ok) return found;
  if (found.value !== undefined) return succeeded(found.value);
  return failed(missing(`the server has no kind ${name.kind} in ${name.group === '' ? 'the core group' : name.group}`));
}

function missing(message: string): Failure {
  return { kind: 'notFound', message };
}

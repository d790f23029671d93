import type { APIGroup, APIResourceList } from 'kubernetes-types/meta/v1.js';
import { groupPath, type ResourceName, versionPath } from '../client/client.ts';
import type { KubeReader } from '../client/reader.ts';
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
  /** Undefined: the one the server prefers of those that have the kind. */
  readonly version?: string | undefined;
  readonly kind: string;
}

export interface DiscoveryOptions {
  readonly client: Pick<KubeReader, 'document'>;
  readonly clock: Clock;
  /** A kind that was not there is asked for again after this long: its definition may have come. */
  readonly missMs?: number;
  /** What was there is believed for this long: definitions change, too. */
  readonly hitMs?: number;
}

const defaultMissMs = 30_000;
const defaultHitMs = 600_000;
/** Authors of owner references choose the names: what is remembered must have a limit. */
const maxRemembered = 1_000;

interface Remembered<T> {
  readonly at: number;
  readonly answer: Promise<Outcome<T>>;
}

/** Finds where objects of a kind live, also for kinds that are not built in. */
export class Discovery {
  readonly #options: Required<DiscoveryOptions>;
  /** Versions of a group, the preferred one first. */
  readonly #groups = new Map<string, Remembered<readonly string[]>>();
  readonly #versions = new Map<string, Remembered<ReadonlyMap<string, KindResource>>>();

  constructor(options: DiscoveryOptions) {
    this.#options = { missMs: defaultMissMs, hitMs: defaultHitMs, ...options };
  }

  /** Not found: the server has no such kind. Other failures may pass. */
  async resourceOf(name: KindName): Promise<Outcome<KindResource>> {
    const versions = await this.#versionsOf(name);
    if (!versions.ok) return versions;
    const { hitMs, missMs } = this.#options;
    const found = await this.#lookThrough(name, versions.value, hitMs);
    if (!found.ok || found.value !== undefined) return orMissing(found, name);
    // The kind may be newer than what is remembered of its group.
    return orMissing(await this.#lookThrough(name, versions.value, missMs), name);
  }

  /** A group may have kinds that its preferred version does not: a new API begins in a version of its own. */
  async #lookThrough(
    { group, kind }: KindName,
    versions: readonly string[],
    maxAge: number,
  ): Promise<Outcome<KindResource | undefined>> {
    for (const version of versions) {
      const found = await this.#lookUp(group, version, maxAge, kind);
      const isElsewhere = found.ok ? found.value === undefined : found.failure.kind === 'notFound';
      if (!isElsewhere) return found;
    }
    return succeeded(undefined);
  }

  async #versionsOf({ group, version }: KindName): Promise<Outcome<readonly string[]>> {
    if (version !== undefined) return succeeded([version]);
    if (group === '') return succeeded(['v1']);
    const { client } = this.#options;
    const path = groupPath(group);
    if (path === undefined) return failed(missing(`${group} cannot be a group`));
    return this.#remembered(this.#groups, group, this.#options.hitMs, async () => {
      const answer = await client.document<APIGroup>(path);
      if (!answer.ok) return answer;
      const preferred = answer.value.preferredVersion?.version;
      const all = (answer.value.versions ?? []).map(({ version }) => version);
      return succeeded([...new Set(preferred === undefined ? all : [preferred, ...all])]);
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
      // Another caller may have asked again meanwhile.
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

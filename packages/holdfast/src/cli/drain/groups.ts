import type { CoursePod } from '../../core/drain/course-pod.ts';
import { groupUnitsOf } from '../../core/drain/units.ts';
import type { World } from '../../core/world/world.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import { ProbeLeaseBook } from '../../observe/once/probe-lease-book.ts';
import { readWorld } from '../../observe/once/read-world.ts';
import { everywhere, only, type Scope } from '../../observe/once/scope.ts';
import { Problem } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import type { ListedPod } from './listed-pod.ts';

/** From so many namespaces on, one list of everything is cheaper than one for each. */
const maxNamespaces = 20;

/** Reads what is around some pods, again and again. */
export class LiveWorldReader {
  readonly #session: Session;
  readonly #operatorNamespace: string | undefined;
  readonly #scope: Scope;
  readonly #book = new ProbeLeaseBook();

  constructor(session: Session, pods: readonly ListedPod[], operatorNamespace: string | undefined) {
    const namespaces = [...new Set(pods.map(({ namespace }) => namespace))];
    this.#session = session;
    this.#operatorNamespace = operatorNamespace;
    this.#scope = namespaces.length > maxNamespaces ? everywhere : only(...namespaces);
  }

  read(): Promise<LiveWorld> {
    const operatorNamespace = this.#operatorNamespace;
    return readWorld(this.#session, { scope: this.#scope, operatorNamespace, book: this.#book });
  }
}

export interface Grouped {
  readonly pods: readonly CoursePod[];
  /** Groups that do not serve. */
  readonly broken: ReadonlySet<string>;
}

function groupedBy(world: World, pods: readonly ListedPod[]): Grouped {
  return {
    pods: pods.map((pod) => ({ ...placeOf(pod), units: groupUnitsOf(world, pod) })),
    broken: brokenIn(world, pods),
  };
}

export function ungrouped(pods: readonly ListedPod[]): Grouped {
  return { pods: pods.map((pod) => ({ ...placeOf(pod), units: [] })), broken: new Set() };
}

export function brokenIn(
  world: World,
  pods: readonly { readonly namespace: string; readonly name: string; readonly uid: string }[],
): ReadonlySet<string> {
  return new Set(pods.flatMap((pod) => groupUnitsOf(world, pod).flatMap(({ broken, id }) => (broken ? [id] : []))));
}

function placeOf({ namespace, name, uid, node }: ListedPod): Omit<CoursePod, 'units'> {
  return { namespace, name, uid, node };
}

const asFarAsKnown = 'pods are taken group by group only as far as their groups can be told';

/** Groups order a drain, and protect nothing: where they cannot be told, that is said, and the API server judges all the same. */
export async function readGroups(
  around: LiveWorldReader,
  pods: readonly ListedPod[],
  warn: (line: string) => void,
): Promise<Grouped> {
  try {
    const { world, gaps } = await around.read();
    if (gaps.length > 0) warn(`warning: you may not read ${gaps.map(({ what }) => what).join(', ')}: ${asFarAsKnown}`);
    return groupedBy(world, pods);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    warn(`warning: cannot determine groups (${error.message}); evicting in any order, as with --order all`);
    return ungrouped(pods);
  }
}

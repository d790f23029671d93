import { type KubeObject, keyOf } from '../../objects.ts';
import type { ViewEvent } from '../../view.ts';
import { serviceAccountName } from '../identities.ts';
import type { User } from '../user.ts';
import { type RoleRef, roleRefOf, type Subject, subjectsOf } from './rbac-objects.ts';

export interface BindingMatch {
  readonly name: string;
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  /** The first subject of the binding that the user is. */
  readonly subject: Subject;
}

interface Entry {
  readonly binding: IndexedBinding;
  readonly position: number;
}

interface IndexedBinding {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
  readonly places: readonly string[];
}

/** Finds bindings by whom they are for, so that a decision never looks at the bindings of others. */
export class BindingIndex {
  readonly #bindings = new Map<string, IndexedBinding>();
  /** Namespace and subject, then the binding's key. */
  readonly #bySubject = new Map<string, Map<string, Entry>>();

  apply({ type, object }: Pick<ViewEvent, 'type' | 'object'>): void {
    this.#remove(keyOf(object));
    if (type !== 'DELETED') this.#add(object);
  }

  /** Bindings of one namespace ('' for the cluster's) that are for this user, in the order of their names. */
  matches(user: User, namespace: string): readonly BindingMatch[] {
    const found = new Map<string, Entry>();
    for (const identity of [userIdentity(user.name), ...user.groups.map(groupIdentity)]) {
      for (const [key, entry] of this.#bySubject.get(place(namespace, identity)) ?? []) {
        const earlier = found.get(key);
        if (!earlier || entry.position < earlier.position) found.set(key, entry);
      }
    }
    return [...found.values()]
      .sort((a, b) => (a.binding.name < b.binding.name ? -1 : 1))
      .map(({ binding, position }) => ({
        name: binding.name,
        namespace: binding.namespace,
        roleRef: binding.roleRef,
        subject: binding.subjects[position] as Subject,
      }));
  }

  #add(object: KubeObject): void {
    const key = keyOf(object);
    const { name, namespace = '' } = object.metadata;
    const subjects = subjectsOf(object);
    const identities = subjects.map((subject) => identityOf(subject, namespace));
    const places = identities.map((identity) => (identity === undefined ? '' : place(namespace, identity)));
    const binding = { name, namespace, roleRef: roleRefOf(object), subjects, places };
    this.#bindings.set(key, binding);
    for (const [position, where] of places.entries()) {
      if (where === '') continue;
      const bucket = this.#bySubject.get(where);
      if (!bucket) this.#bySubject.set(where, new Map([[key, { binding, position }]]));
      else if (!bucket.has(key)) bucket.set(key, { binding, position });
    }
  }

  #remove(key: string): void {
    for (const where of this.#bindings.get(key)?.places ?? []) {
      const bucket = this.#bySubject.get(where);
      bucket?.delete(key);
      if (bucket?.size === 0) this.#bySubject.delete(where);
    }
    this.#bindings.delete(key);
  }
}

/** A namespace has no slash in it, so places of different namespaces never meet. */
function place(namespace: string, identity: string): string {
  return `${namespace}/${identity}`;
}

function userIdentity(name: string): string {
  return `user ${name}`;
}

function groupIdentity(name: string): string {
  return `group ${name}`;
}

/** A service account without a namespace is one of the binding's own; in a ClusterRoleBinding it names no account. */
function identityOf({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return userIdentity(name);
  if (kind === 'Group') return groupIdentity(name);
  const home = namespace === '' ? bindingNamespace : namespace;
  return kind === 'ServiceAccount' && home !== '' ? userIdentity(serviceAccountName(home, name)) : undefined;
}

import { type NaiveState, namespaceOf } from './state.ts';

/** W3: of a deleted namespace nothing is kept once nothing of it is in view, whatever is heard of it later. */
export function forgetDeleted(state: NaiveState): NaiveState {
  return [...state.deleted].filter((namespace) => isEmpty(state, namespace)).reduce(forget, state);
}

function isEmpty({ pods, pdbs, pubs, workloads, podGroups }: NaiveState, namespace: string): boolean {
  return ![...pods, ...pdbs, ...pubs, ...workloads, ...podGroups].some((one) => namespaceOf(one) === namespace);
}

function forget(state: NaiveState, namespace: string): NaiveState {
  const others = <V>(map: ReadonlyMap<string, V>) =>
    new Map([...map].filter(([ownerKey]) => ownerKey.split('|')[2] !== namespace));
  return {
    ...state,
    namespaces: state.namespaces.filter(({ metadata }) => metadata.name !== namespace),
    reservations: new Map([...state.reservations].filter(([name]) => name !== namespace)),
    keptSizes: new Map([...state.keptSizes].filter(([name]) => name !== namespace)),
    owners: state.owners.filter((owner) => owner.namespace !== namespace),
    goneOwners: state.goneOwners.filter((owner) => owner.namespace !== namespace),
    lookedUpAt: others(state.lookedUpAt),
    pointedAtFirst: others(state.pointedAtFirst),
  };
}

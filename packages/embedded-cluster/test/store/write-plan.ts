import type { Store } from '../../src/store/store.ts';
import { drop, put } from './actions.ts';

const keyCount = 40;

/** The write with this index in this round: the same for every process that holds the same state. */
export function nextWrite(store: Store, round: number, index: number): void {
  const key = `a/${(index * 7919 + round) % keyCount}`;
  const isThere = store.get('pods', key) !== undefined;
  if (isThere && index % 3 === 0) drop(store, 'pods', key);
  else put(store, 'pods', key, `${round}/${index} ${'x'.repeat(index % 300)}`);
}

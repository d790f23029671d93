import { type Fields, isObject } from '@holdfast/base/json';
import { failureOfStatus } from '../outcome/api-status.ts';
import type { Failure } from '../outcome/failure.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Fields }
  /** Nothing happened up to this resourceVersion. `initialEnd`: the state that was asked for is complete. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEnd: boolean }
  | { readonly type: 'ERROR'; readonly failure: Failure };

const initialEventsEnd = 'k8s.io/initial-events-end';

/** One line of a watch. Throws when it is none. */
export function parseWatchEvent(line: string): WatchEvent {
  const value: unknown = JSON.parse(line);
  if (!isObject(value) || !isObject(value['object'])) throw new SyntaxError('a watch event has a type and an object');
  const { type, object } = value;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: object as Fields };
    case 'BOOKMARK':
      return bookmark(object as Fields);
    case 'ERROR':
      return { type, failure: failureOfStatus(object) };
    default:
      throw new SyntaxError(`a watch event of type ${JSON.stringify(type)} is not known`);
  }
}

function bookmark(object: Fields): WatchEvent {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const { resourceVersion, annotations } = metadata;
  if (typeof resourceVersion !== 'string') throw new SyntaxError('a bookmark has a resourceVersion');
  const initialEnd = isObject(annotations) && annotations[initialEventsEnd] === 'true';
  return { type: 'BOOKMARK', resourceVersion, initialEnd };
}

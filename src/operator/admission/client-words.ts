import { isObject } from '../../api/json.ts';
import type { ReviewRequest } from './review.ts';

/** Who asks for a disruption, and what the client says about it. */
export interface ClientWords {
  readonly user: string;
  /** On whose behalf: the descheduler writes it on its Evictions. Clients can write anything: it proves nothing. */
  readonly requestedBy?: string;
  /** Why, in the client's words. */
  readonly reason?: string;
}

/** Annotations of an Eviction, as the descheduler writes them. */
const requestedByKey = 'requested-by';
const reasonKey = 'reason';

/** A client chooses these texts, and every decision logs them. */
const maxText = 256;

export function clientWordsOf({ username, object, subResource }: ReviewRequest): ClientWords {
  const metadata = subResource === 'eviction' && isObject(object) ? object['metadata'] : undefined;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = (key: string): string | undefined => {
    const value = isObject(annotations) && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    return typeof value === 'string' && value !== '' ? value.slice(0, maxText) : undefined;
  };
  const [requestedBy, reason] = [text(requestedByKey), text(reasonKey)];
  return {
    user: username,
    ...(requestedBy === undefined ? {} : { requestedBy }),
    ...(reason === undefined ? {} : { reason }),
  };
}

import type { Failure } from '../outcome/failure.ts';
import type { WatchEnd } from '../stream/watch-reader.ts';

/** One list or watch of a reflector, and how it ended. */
export interface ReflectorAttempt {
  readonly tried: 'list' | 'watchList' | 'watch';
  readonly end: { readonly kind: 'listed' } | WatchEnd;
  /** Something was learnt: an event, a bookmark, a whole list. */
  readonly useful: boolean;
  readonly lastedMs: number;
  /** Watches in a row that began, taught nothing and went wrong from within, this one included. */
  readonly barrenInARow: number;
  /** The initial events of a watchList came to their end. */
  readonly complete: boolean;
}

export interface ReflectorPlan {
  /** What is known cannot be continued from: everything must be read again. */
  readonly resync: boolean;
  /** Read with a plain list next time, or always from now on with this server. */
  readonly watchList: 'keep' | 'skipOnce' | 'unsupported';
  readonly wait: {
    /** `reconnect`: short ones, for a server that could not be reached or had no answer; `refused`: for one that said no. */
    readonly backoff: 'none' | 'reconnect' | 'refused';
    readonly atLeastMs: number;
  };
}

/** A watch that a server ends sooner, with nothing in it, is not to be asked for again at once. */
const shortMs = 1_000;

/** An event that is garbled each time, or that the server fails at each time, is stepped over by reading the state instead. */
const maxBarrenInARow = 3;

const soon = { backoff: 'none', atLeastMs: 0 } as const;
const later = { backoff: 'reconnect', atLeastMs: 0 } as const;

/** What to do next. There is no giving up among the answers. */
export function planAfter(session: ReflectorAttempt): ReflectorPlan {
  const watchList = session.tried === 'watchList' && !session.complete ? afterIncomplete(session) : 'keep';
  const unread = session.tried === 'watchList' && !session.complete;
  const barren = session.barrenInARow >= maxBarrenInARow;
  const { end } = session;
  switch (end.kind) {
    case 'listed':
      return { resync: false, watchList, wait: soon };
    case 'closed': {
      const wait = session.useful || session.lastedMs >= shortMs ? soon : later;
      return { resync: unread, watchList, wait };
    }
    case 'stalled':
      // A watch that goes on from where this one was would show nothing, either, where nothing changes.
      return { resync: true, watchList, wait: soon };
    case 'dead':
      // The server is there, as far as is known: only this connection is not.
      return { resync: unread, watchList, wait: soon };
    case 'broken':
      return { resync: unread, watchList, wait: later };
    case 'garbled':
      return { resync: unread || barren, watchList, wait: later };
    case 'failed':
      return {
        resync: unread || barren || needsResync(end.failure),
        watchList,
        wait: waitAfter(end.failure, watchList),
      };
  }
}

/** Servers that do not know of initial events either say so, or never say that they are over. */
function afterIncomplete({ end }: ReflectorAttempt): ReflectorPlan['watchList'] {
  if (end.kind === 'stalled' || end.kind === 'closed') return 'unsupported';
  return end.kind === 'failed' && end.failure.kind === 'rejected' ? 'unsupported' : 'skipOnce';
}

function needsResync(failure: Failure): boolean {
  switch (failure.kind) {
    case 'gone':
    case 'rejected':
    case 'notFound':
      return true;
    case 'retry':
      // A server that was restored from a backup has not come to where we are.
      return failure.status?.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') ?? false;
    default:
      return false;
  }
}

function waitAfter(failure: Failure, watchList: ReflectorPlan['watchList']): ReflectorPlan['wait'] {
  if (failure.kind === 'rejected' && watchList === 'unsupported') return soon;
  const asked = failure.kind === 'retry' || failure.kind === 'tooManyRequests' ? failure.retryAfterMs : undefined;
  return { backoff: failure.kind === 'retry' ? 'reconnect' : 'refused', atLeastMs: asked ?? 0 };
}

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Answer, ask } from './ask.ts';
import { head } from './store.ts';

/** A detail is asked for again after a change in the cluster, and not more often than this: it may cost a verdict for each pod of a node. */
const restMs = 1_500;

/** Undefined: not answered yet. An answer stays until the next one has come. */
export function useAnswer<T>(path: string): Answer<T> | undefined {
  const answer = useSignal<Answer<T> | undefined>(undefined);
  useEffect(() => {
    let revision = -1;
    let closed = false;
    const look = async () => {
      const current = head.peek()?.revision ?? 0;
      if (current !== revision || answer.peek()?.kind === 'problem') {
        const next = await ask<T>(path);
        if (closed) return;
        revision = current;
        answer.value = next;
      }
      timer = setTimeout(look, restMs);
    };
    let timer = setTimeout(look, 0);
    return () => {
      closed = true;
      clearTimeout(timer);
    };
  }, [path, answer]);
  return answer.value;
}

import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { announcement } from '../live/announce.ts';
import { head } from '../live/store.ts';
import type { UiHead } from '../model.ts';

/** Changes come several times a second while a fleet drains; a screen reader needs seconds for a sentence. */
const restMs = 4_000;

/** The only live region for changes of the cluster: it says the outcome of a few seconds, not each step. */
export function Announcer(): JSX.Element {
  const said = useSignal('');
  const before = useRef<UiHead | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useSignalEffect(() => {
    const { value } = head;
    before.current ??= value;
    if (value === undefined || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const after = head.peek();
      const sentence = after === undefined ? undefined : announcement(before.current, after);
      before.current = after;
      if (sentence !== undefined) said.value = sentence;
    }, restMs);
  });
  return (
    <p class="spoken" role="status" aria-live="polite">
      {said.value}
    </p>
  );
}

import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';

interface FindBoxProps {
  readonly text: Signal<string>;
  /** For screen readers. */
  readonly label: string;
  readonly hint: string;
}

/** Narrows a list while a person types. */
export function FindBox({ text, label, hint }: FindBoxProps): JSX.Element {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={hint}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
      }}
    />
  );
}

import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

const shownMs = 2_000;

/** A command to run elsewhere: this page itself changes nothing in the cluster. */
export function CopyCommand({ command }: { readonly command: string }): JSX.Element {
  const said = useSignal('Copy');
  const copy = async () => {
    said.value = await navigator.clipboard.writeText(command).then(
      () => 'Copied',
      () => 'Select it and press Ctrl-C',
    );
    setTimeout(() => {
      said.value = 'Copy';
    }, shownMs);
  };
  return (
    <div class="command">
      <code>{command}</code>
      <button type="button" onClick={copy} aria-label={`Copy the command ${command}`}>
        <span aria-live="polite">{said.value}</span>
      </button>
    </div>
  );
}

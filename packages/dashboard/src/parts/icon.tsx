import type { ComponentChildren, JSX } from 'preact';

/** One shape for each state, so that no state is told by its colour alone. */
export type IconName = 'now' | 'later' | 'blocked' | 'draining' | 'drained' | 'unknown' | 'warning';

const shapes: Readonly<Record<IconName, ComponentChildren>> = {
  now: (
    <>
      <circle class="fill" cx="8" cy="8" r="7" />
      <path class="mark" d="M4.6 8.3l2.3 2.3 4.5-4.9" />
    </>
  ),
  later: (
    <>
      <circle class="line" cx="8" cy="8" r="6.2" />
      <path class="line" d="M8 4.4V8l2.5 1.7" />
    </>
  ),
  blocked: (
    <>
      <path class="fill" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" />
      <path class="mark" d="M4.5 8h7" />
    </>
  ),
  draining: (
    <>
      <rect class="fill" x="1" y="1" width="14" height="14" rx="3" />
      <path class="mark" d="M8 4v7.2M4.9 8.2L8 11.3l3.1-3.1" />
    </>
  ),
  drained: <circle class="line dashed" cx="8" cy="8" r="6.2" />,
  unknown: (
    <>
      <path class="line" d="M8 1.2L14.8 8 8 14.8 1.2 8z" />
      <path class="line" d="M6.4 6.5c.2-2 3.3-1.8 3.2.1 0 1.2-1.5 1.2-1.5 2.4M8.1 11.1v.2" />
    </>
  ),
  warning: (
    <>
      <path class="line" d="M8 1.8L14.8 14H1.2z" />
      <path class="line" d="M8 6v4M8 11.9v.2" />
    </>
  ),
};

/** The words beside it say the same, so readers of the page by ear do not get it twice. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}

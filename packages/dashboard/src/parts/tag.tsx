import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** A state as a shape, a word and a colour. */
export function Tag({
  icon,
  tone,
  children,
}: {
  readonly icon: IconName;
  readonly tone: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`tag ${tone}`}>
      <Icon name={icon} />
      <span>{children}</span>
    </span>
  );
}

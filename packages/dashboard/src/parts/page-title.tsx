import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { navigations } from '../navigation.ts';

/** The heading of a view. It takes the focus when the reader goes there, so that keyboards and screen readers go on from the new content. */
export function PageTitle({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  useEffect(() => {
    // Once for each time that the reader goes somewhere. On the first view the reader begins at the top.
    if (navigations.peek() === focusedFor) return;
    focusedFor = navigations.peek();
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}

let focusedFor = 0;

import type { JSX } from 'preact';
import { clock } from '../live/store.ts';
import { agoText, clockText, spanText } from '../words/time.ts';

/** Its own component: each second redraws ages, and nothing around them. */
export function Ago({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={clockText(at)}>
      {agoText(at, clock.value)}
    </time>
  );
}

/** @param atLeast it began before this was observed */
export function For({ since, atLeast = false }: { readonly since: number; readonly atLeast?: boolean }): JSX.Element {
  return (
    <time dateTime={new Date(since).toISOString()} title={`since ${clockText(since)}`}>
      {atLeast ? 'for at least ' : 'for '}
      {spanText(clock.value - since)}
    </time>
  );
}

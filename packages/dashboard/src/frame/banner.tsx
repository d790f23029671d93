import type { JSX } from 'preact';
import { head, pageState } from '../live/store.ts';
import { Ago } from '../parts/age.tsx';
import { Icon } from '../parts/icon.tsx';
import { freshnessOf } from './freshness.ts';

/** Nothing is more dangerous on such a page than old numbers that look current. */
export function Banner(): JSX.Element | null {
  const state = freshnessOf(pageState.value.link, head.value?.data);
  if (state.kind === 'ended') {
    return (
      <aside class="banner" aria-label="Connection">
        <Icon name="warning" />
        <p>
          <strong>This session ended.</strong> holdfast ui was started again: open the address that it printed.
        </p>
      </aside>
    );
  }
  if (state.kind !== 'old') return null;
  return (
    <aside class="banner" aria-label="Connection">
      <Icon name="warning" />
      <p>
        <strong>
          {state.title}; last heard <Ago at={state.since} />.
        </strong>{' '}
        {state.text}
      </p>
    </aside>
  );
}

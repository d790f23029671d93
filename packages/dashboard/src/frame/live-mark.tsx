import type { JSX } from 'preact';
import { head, pageState } from '../live/store.ts';
import { Ago } from '../parts/age.tsx';
import { Icon } from '../parts/icon.tsx';
import { freshnessOf } from './freshness.ts';

export function LiveMark(): JSX.Element {
  const state = freshnessOf(pageState.value.link, head.value?.data);
  switch (state.kind) {
    case 'live':
      return (
        <span class="live now">
          <Icon name="now" /> live
        </span>
      );
    case 'reading':
      return (
        <span class="live draining">
          <Icon name="later" /> {state.text}
        </span>
      );
    case 'old':
      return (
        <span class="live blocked">
          <Icon name="warning" /> as of <Ago at={state.since} />
        </span>
      );
    case 'ended':
      return (
        <span class="live blocked">
          <Icon name="warning" /> session ended
        </span>
      );
  }
}

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Route, routeOf } from './routes.ts';

const hash = signal(location.hash);

/** How often the reader went to another view. */
export const navigations = signal(0);

addEventListener('hashchange', () => {
  hash.value = location.hash;
  navigations.value += 1;
  scrollTo(0, 0);
});

export const route: ReadonlySignal<Route> = computed(() => routeOf(hash.value));

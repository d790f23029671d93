import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Route, routeOf } from './routes.ts';

const hash = signal(location.hash);

addEventListener('hashchange', () => {
  hash.value = location.hash;
  scrollTo(0, 0);
});

export const route: ReadonlySignal<Route> = computed(() => routeOf(hash.value));

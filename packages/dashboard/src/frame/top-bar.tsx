import type { JSX } from 'preact';
import { drains, head } from '../live/store.ts';
import { hashOf, type Route } from '../routes.ts';
import { setTheme, type Theme, theme, themes } from '../theme.ts';
import { LiveMark } from './live-mark.tsx';

const entries: readonly { readonly to: Route; readonly words: string }[] = [
  { to: { view: 'overview' }, words: 'Overview' },
  { to: { view: 'drains' }, words: 'Drains' },
  { to: { view: 'whatIf', nodes: [] }, words: 'What if' },
];

export function TopBar({ view }: { readonly view: Route['view'] }): JSX.Element {
  const cluster = head.value?.cluster;
  const draining = drains.value.filter(({ state }) => state === 'draining').length;
  return (
    <header class="top">
      <span class="brand">Holdfast</span>
      <nav aria-label="Views">
        {entries.map(({ to, words }) => (
          <a key={words} href={hashOf(to)} {...(to.view === view ? { 'aria-current': 'page' as const } : {})}>
            {words}
            {to.view === 'drains' && draining > 0 ? <span class="count">{draining}</span> : null}
          </a>
        ))}
      </nav>
      <span class="cluster dim" title={cluster?.server}>
        {cluster === undefined ? '' : (cluster.context ?? cluster.server)}
        {cluster === undefined || cluster.namespaces.length === 0 ? '' : ` · ${cluster.namespaces.join(', ')}`}
      </span>
      <LiveMark />
      <select
        class="theme"
        aria-label="Colours"
        value={theme.value}
        onChange={(event) => setTheme(event.currentTarget.value as Theme)}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {themeWords[one]}
          </option>
        ))}
      </select>
    </header>
  );
}

const themeWords: Readonly<Record<Theme, string>> = { system: 'As system', light: 'Light', dark: 'Dark' };

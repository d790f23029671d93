import { signal } from '@preact/signals';

/** `system`: as the reader's desktop is. */
export type Theme = 'system' | 'light' | 'dark';

export const themes: readonly Theme[] = ['system', 'light', 'dark'];

const key = 'holdfast-theme';

function themeFrom(kept: string | null): Theme {
  return themes.find((one) => one === kept) ?? 'system';
}

export const theme = signal<Theme>('system');

/** The style sheet reads `data-theme` of the root; without it, the desktop's preference applies. */
export function setTheme(next: Theme): void {
  theme.value = next;
  const { documentElement: root } = document;
  if (next === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = next;
  localStorage.setItem(key, next);
}

export function loadTheme(): void {
  setTheme(themeFrom(localStorage.getItem(key)));
}

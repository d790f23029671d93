import { render } from 'preact';
import { App } from './app.tsx';
import { followServer } from './live/follow.ts';
import { loadTheme } from './theme.ts';

loadTheme();
const root = document.getElementById('page');
if (root !== null) {
  render(<App />, root);
  followServer();
}

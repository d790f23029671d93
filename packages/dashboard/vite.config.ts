import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Everything is a file of its own with a hash in its name: the server's policy allows no inline script, style or data. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});

// The page of `holdfast ui` as files in memory: scripts/build.mjs writes them where the command finds them.
import { resolve } from 'node:path';
import { build } from 'vite';

/**
 * Everything is a file of its own with a hash in its name: the server's policy allows no inline script, style or data.
 * @returns {Promise<{ files: { path: string, contents: string | Uint8Array }[], inputs: string[] }>}
 */
export async function dashboardFiles(outdir) {
  const { output } = await build({
    configFile: false,
    root: resolve('packages/dashboard'),
    // The one that needs no other file: images and packages are built without the root's.
    tsconfig: 'tsconfig.build.json',
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: ['chrome123', 'firefox128', 'safari17.5'],
      // Not shipped: by it a test finds what the page is made of.
      sourcemap: 'hidden',
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
    },
  });
  const inputs = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const files = output.map((file) => ({
    path: resolve(outdir, file.fileName),
    contents: file.type === 'chunk' ? file.code : file.source,
  }));
  return { files, inputs };
}

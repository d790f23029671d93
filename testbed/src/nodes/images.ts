import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageLayout } from '../../../scripts/image/oci.mjs';
import { tar } from '../../../scripts/image/tar.mjs';

/** As images name it. */
const platform = process.arch === 'x64' ? 'amd64' : process.arch;

/** Images that are made here, each with the test application in it; there is no registry. */
const images = [
  { name: 'holdfast.test/pause', version: '1', command: ['pause'] },
  { name: 'holdfast.test/app', version: '1', command: ['serve'] },
  { name: 'holdfast.test/app', version: '2', command: ['serve'] },
  { name: 'holdfast.test/app', version: 'crashes', command: ['crash'] },
] as const;

/** Archives that `ctr images import` reads. */
export function writeTestImages(folder: string, testapp: string): string[] {
  mkdirSync(folder, { recursive: true });
  const contents = readFileSync(testapp);
  return images.map(({ name, version, command }) => {
    const path = join(folder, `${name.replaceAll('/', '-')}-${version}.tar`);
    const layout = imageLayout([{ testapp: { contents, mode: 0o755 } }], {
      name,
      version,
      platform,
      // The version is part of it, so that two versions are two images: kubelets tell them apart by their digests.
      config: { Entrypoint: ['/testapp'], Cmd: [...command], Labels: { version } },
    });
    writeFileSync(path, tar(layout));
    return path;
  });
}

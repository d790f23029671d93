import { Command } from 'commander';

/** Of this release; `holdfast:VERSION` is its image. */
export const productVersion = '0.1.0';

export function versionCommand(): Command {
  return new Command('version').description('print the version of this command').action(() => {
    process.stdout.write(`holdfast ${productVersion} (Node.js ${process.version})\n`);
  });
}

import { printCompletions } from './completion/print.ts';
import { endWithReader } from './output/closed-output.ts';

endWithReader([process.stdout, process.stderr], (code) => process.exit(code));

/** How kubectl's shells go on (cobra's numbers): never with names of files, and after a slash without a space. */
const noFiles = 4;
const noSpace = 2;

// kubectl calls a program of this name for the words after `kubectl holdfast`.
const printed = await printCompletions(process.argv.slice(2));
process.stdout.write(`:${printed.some((one) => one.endsWith('/')) ? noFiles + noSpace : noFiles}\n`);

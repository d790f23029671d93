import { walkOfOneEviction } from './measure.ts';

/** Prints the source files that one eviction passes, with the functions that ran. */
const walk = await walkOfOneEviction();
for (const [file, functions] of walk)
  console.log(`${file}  ${[...functions].filter((name) => name !== '').join(', ')}`);
console.log(`${walk.size} files`);

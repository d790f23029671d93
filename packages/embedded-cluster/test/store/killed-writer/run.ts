/** Writes to a store for as long as it lives, and says on stdout what was acknowledged. Made to be killed. */

import { openDurableStore } from '../../../src/store/durable/durable-store.ts';
import { nextWrite } from '../write-plan.ts';

const [directory = '', round = '0'] = process.argv.slice(2);
const opening = await openDurableStore({
  directory,
  report: (message) => process.stderr.write(`${message}\n`),
  snapshotEveryBytes: 20_000,
});
if (!opening.ok) throw new Error(opening.message);
const { store } = opening;

for (let index = 0; ; ) {
  // Several at a time, so that a kill hits batches too.
  for (const end = index + 1 + (index % 7); index < end; index += 1) nextWrite(store, Number(round), index);
  await store.durable(store.revision);
  process.stdout.write(`${index} ${store.revision}\n`);
}

import type { Environment } from '@marcbachmann/cel-js';
import { registerAddresses } from './library-addresses.ts';
import { registerFormat } from './library-format.ts';
import { registerLists } from './library-lists.ts';
import { registerQuantity } from './library-quantity.ts';
import { registerStrings } from './library-strings.ts';
import { registerUrl } from './library-url.ts';

/** What Kubernetes adds to the language. */
export function registerLibrary(environment: Environment): void {
  registerStrings(environment);
  registerFormat(environment);
  registerLists(environment);
  registerQuantity(environment);
  registerAddresses(environment);
  registerUrl(environment);
}

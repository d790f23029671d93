import { made, type TestCluster } from './cluster.ts';

/** The 37 of 1.37: what an API server says differs between releases, and each is held to its own words. */
export async function minorOf(cluster: Pick<TestCluster, 'request'>): Promise<number> {
  const { minor } = (await made(cluster.request('GET', '/version'))) as { readonly minor?: unknown };
  const number = Number.parseInt(String(minor), 10);
  if (Number.isNaN(number)) throw new Error(`the API server does not say its version: ${minor}`);
  return number;
}

/** The collections that must have been seen whole before anything can be judged. */
export const collections = [
  'pods',
  'pdbs',
  'pubs',
  'workloads',
  'podGroups',
  'namespaces',
  'leases',
  'ledgers',
] as const;
export type Collection = (typeof collections)[number];

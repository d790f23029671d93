import { admit, cells, decide, evaluation, gangs, type Mistake, one, prune, shards, singles } from './mistake.ts';

/** Holes that running clusters showed, or the simulation itself. */
export const holes: readonly Mistake[] = [
  one(
    'a repeated eviction deletes the successor: its uid is looked up after the wait',
    admit,
    'const takeover = { namespace: request.namespace, target, onlyIf, terms: asked.eviction };',
    `const seen = this.#deps.world.pod(request.namespace, target.pod);
    const found = { ...target, uid: seen?.uid ?? target.uid };
    const takeover = { namespace: request.namespace, target: found, onlyIf, terms: asked.eviction };`,
    singles,
  ),
  one(
    'a takeover takes nothing from the counter of a plain PDB',
    admit,
    'take({ ...request, budgets }, deadline.leftMs)',
    'take({ ...request, budgets: [] }, deadline.leftMs)',
    singles,
  ),
  {
    name: 'a plain PDB is judged by us only for the pods that it shares, and a takeover takes nothing from its counter',
    stories: singles,
    edits: [
      {
        file: 'core/decide/judges.ts',
        find: 'pdbs.own.length + pubs.length > 0 || pdbs.plain.some((pdb) => state.judgesPlain(pdb))',
        replace: 'pdbs.own.length + pubs.length > 0',
      },
      {
        file: admit,
        find: 'take({ ...request, budgets }, deadline.leftMs)',
        replace: 'take({ ...request, budgets: [] }, deadline.leftMs)',
      },
    ],
  },
  {
    name: 'an eviction under a PUB is neither taken over nor bound to a uid',
    stories: singles,
    edits: [
      {
        file: decide,
        find: "if (options.takeover === 'off' || options.foreignEvictionWebhook === true) return 'pass';",
        replace: "if (panel.judges.some((one) => 'pub' in one)) return 'pass';",
      },
      {
        file: 'operator/admission/pod-handler.ts',
        find: 'return uid === undefined ? pass : { allowed: true, patch: [patchFor(eviction, uid)] };',
        replace: 'return uid === undefined ? pass : pass;',
      },
      {
        file: 'operator/admission/verify.ts',
        find: "return operation === 'EVICT' && uid === undefined && resourceVersionPrecondition !== true && dryRun !== true;",
        replace: 'return operation === undefined;',
      },
    ],
  },
  {
    name: 'an owner that is deleted with --cascade=orphan frees its pods',
    stories: [...singles, ...shards],
    edits: [
      {
        file: 'core/world/owners/owner-chain.ts',
        find: "return node.deleting || (node.state === 'gone' && !node.orphaned);",
        replace: "return node.deleting || node.orphaned || node.state === 'gone';",
      },
    ],
  },
  one(
    'a reservation outlives a budget that was tightened',
    decide,
    'if (!wasJudgedBy(reserved, judges) || vetoOf(pod, request, judges) !== undefined) return false;',
    'if (vetoOf(pod, request, judges) !== undefined) return false;',
  ),
  {
    name: 'a view whose watch died silently is believed',
    stories: [...singles, ...shards],
    edits: [
      {
        file: 'kube/reflector/watch-terms.ts',
        find: "const renewed = proof === 'renewed' && goesOn;",
        replace: 'const renewed = false;',
      },
      {
        file: 'kube/reflector/watch-terms.ts',
        find: 'return Math.max(this.timeoutSeconds * 1_000 + endGraceMs - lastedMs, endGraceMs);',
        replace: 'return stallMs;',
      },
      { file: admit, find: 'mayBeAllowed ? this.#staleness(request) : undefined', replace: 'undefined' },
    ],
  },
  one(
    'the reservation of an update in place ends when the change is stored',
    'core/ledger/update-finished.ts',
    "if (change.restarts === undefined) return 'updated';",
    "if (change.restarts !== null) return 'updated';",
    singles,
  ),
  one(
    'a group that one probe withholds is free',
    evaluation,
    "if (serving >= least && serving > healthy) return { kind: 'withheld', by: withholdersIn(unit, target) };",
    "if (serving < 0) return { kind: 'withheld', by: withholdersIn(unit, target) };",
    shards,
  ),
  one(
    'an undivided gang is one large group with surplus',
    'core/world/pod-group-objects.ts',
    'if (replicas !== undefined && replicas > 1 && link.replica === undefined) {',
    'if (replicas !== undefined && replicas < 0 && link.replica === undefined) {',
    gangs,
  ),
  one(
    'the sizes of label groups are forgotten at a restart',
    'core/world/namespace-state.ts',
    'new Map(sizes.map(({ group, size }) => [group, size]))',
    'new Map()',
    cells,
  ),
  {
    name: 'a minimum above the size of a group frees all its pods',
    stories: shards,
    edits: [
      {
        file: 'core/world/pub/pub-unit.ts',
        find: 'return exactly(Math.min(minReady, size));',
        replace: 'return exactly(minReady);',
      },
      { file: 'core/world/pub/pub-unit.ts', find: 'if (reachable) return', replace: 'if (minReady > 0) return' },
    ],
  },
  one(
    'a PUB with a total of its own does not protect a workload that is scaled to 0',
    'core/decide/gates.ts',
    'if (!pod.idle) return false;',
    'if (pod.uid !== undefined) return false;',
    singles,
  ),
  {
    name: 'an update of ownerReferences alone is not judged',
    stories: singles,
    edits: [
      {
        file: 'core/decide/owner-change.ts',
        find: 'if (referencesChange !== true || references.length === 0) return false;',
        replace: 'if (references.length >= 0) return false;',
      },
      {
        file: 'core/decide/owner-change.ts',
        find: 'if (pod.owner === undefined || sameOwner(pod.owner, controller)) return false;',
        replace: 'if (pod.uid !== undefined) return false;',
      },
    ],
  },
  one(
    'versions of ledgers and pods are compared',
    prune,
    'const podsVersion = pods?.ledgerVersion === state.ledger.metadata.resourceVersion ? pods?.version : undefined;',
    'const podsVersion = state.ledger.metadata.resourceVersion;',
  ),
  one(
    'an announcement of an update in place is not judged',
    'operator/admission/pod-request.ts',
    "if (isNode || !announcesUpdate(old.whole, now.whole)) return pass('harmless');",
    "if (isNode || old !== undefined) return pass('harmless');",
    singles,
  ),
  {
    name: 'plain PDBs are asked after a pod is reserved, and one that they refuse holds the place of others',
    stories: singles,
    edits: [
      {
        file: 'core/decide/judges.ts',
        find: "ours ? pdbs.plain.map((pdb) => ({ kind: 'pdbPlain', pdb, entangled: true })) : [];",
        replace: '[];',
      },
      { file: 'core/decide/judges.ts', find: 'builtin: ours ? [] : pdbs.plain,', replace: 'builtin: pdbs.plain,' },
    ],
  },
];

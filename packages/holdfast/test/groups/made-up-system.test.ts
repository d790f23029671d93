import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { farms } from './farms.ts';

/**
 * Support for a group system is one file and its place in the table. To show it, a copy of the source gets a system that does not exist;
 * the same questions are put to the source as it is, which must not know the system.
 */

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, '../../src');
const copy = mkdtempSync(join(tmpdir(), 'holdfast-systems-'));

beforeAll(() => {
  cpSync(source, join(copy, 'src'), { recursive: true });
  symlinkSync(join(here, '../../../../node_modules'), join(copy, 'node_modules'));
  cpSync(join(here, 'farms.ts'), join(copy, 'src/core/groups/systems/farms.ts'));
  const table = join(copy, 'src/core/groups/systems.ts');
  const entry = 'conventions: readonly GroupSystem[] = [';
  const text = readFileSync(table, 'utf8');
  expect(text).toContain(entry);
  writeFileSync(
    table,
    `import { farms } from './systems/farms.ts';\n${text.replace(entry, () => `${entry}\n  farms,`)}`,
  );
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Rooms {
  readonly world: typeof import('../../src/core/world/world.ts');
  readonly projections: typeof import('../../src/observe/view/projections.ts');
  readonly interner: typeof import('../../src/kube/projection/interner.ts');
  readonly ownerKinds: typeof import('../../src/observe/owners/owner-kinds.ts');
  readonly lists: typeof import('../../src/core/groups/system-lists.ts');
  readonly install: typeof import('../../src/install/index.ts');
  readonly templates: typeof import('../../src/operator/handlers/pod-templates.ts');
  readonly standIns: typeof import('../../src/cli/lint/stand-ins.ts');
}

/** The rooms of one tree, loaded from there. */
async function roomsOf(tree: string): Promise<Rooms> {
  return {
    world: await import(join(tree, 'core/world/world.ts')),
    projections: await import(join(tree, 'observe/view/projections.ts')),
    interner: await import(join(tree, 'kube/projection/interner.ts')),
    ownerKinds: await import(join(tree, 'observe/owners/owner-kinds.ts')),
    lists: await import(join(tree, 'core/groups/system-lists.ts')),
    install: await import(join(tree, 'install/index.ts')),
    templates: await import(join(tree, 'operator/handlers/pod-templates.ts')),
    standIns: await import(join(tree, 'cli/lint/stand-ins.ts')),
  };
}

const podObject = {
  metadata: {
    name: 'cow-1',
    namespace: 'shop',
    uid: 'u1',
    labels: { 'farm.example.com/herd': 'north-0', 'farm.example.com/farm': 'north' },
    annotations: { 'herds.example.com/size': '3', 'other.example.com/note': 'long' },
  },
  spec: { containers: [] },
};

const farm = {
  apiVersion: 'farm.example.com/v1',
  kind: 'Farm',
  metadata: { name: 'north', namespace: 'shop' },
  spec: { replicas: 2, barn: { template: { metadata: { labels: { app: 'cow' } }, spec: { containers: [] } } } },
};

/** Everything that depends on the table, from one tree. */
function factsOf({ world, projections, interner, ownerKinds, lists, install, templates, standIns }: Rooms) {
  const pod = projections.podProjection(new interner.Interner())(podObject);
  const one = new world.World();
  one.upsertPod(pod);
  one.setOwner({ ...farm, name: 'north', namespace: 'shop', uid: 'f1', replicas: 2 });
  const record = one.pod('shop', 'cow-1');
  const values = install.defaultInstallValues;
  const rules = install.rbacObjects(values).flatMap((object) => ('rules' in object ? (object.rules ?? []) : []));
  const webhooks = install
    .webhookConfigurations(values, install.answeredPaths)
    .flatMap((configuration) => configuration.webhooks ?? []);
  const probes = webhooks.find(({ name }) => name.startsWith('probes'));
  return {
    group: record?.claims.map(({ convention, id, size }) => ({ convention, id, size })),
    root: record?.root === undefined ? undefined : { display: record.root.display, counts: record.root.countsGroups },
    annotations: Object.keys(pod.metadata.annotations ?? {}),
    watchedOwner: ownerKinds.watchedKinds.filter(({ kind }) => kind === 'Farm'),
    watchedObjects: lists.podGroupApis.filter((api) => api === 'farm.example.com'),
    rights: rules.filter(({ apiGroups = [] }) => apiGroups.includes('farm.example.com')),
    checkedKinds: probes?.rules?.filter(({ apiGroups = [] }) => apiGroups.includes('farm.example.com')),
    condition: probes?.matchConditions?.some(({ expression }) =>
      expression.includes('object.spec.barn.template.metadata'),
    ),
    template: templates.podSourcesOf(farm, false).map(({ prefix }) => prefix),
    standIns: standIns
      .withStandIns([farm])
      .filter(({ kind }) => kind === 'Pod')
      .map(({ metadata }) => (metadata['labels'] as Record<string, string>)['farm.example.com/herd']),
  };
}

describe('a made-up group system', () => {
  it('[G1] that is one file is known everywhere', async () => {
    expect(factsOf(await roomsOf(join(copy, 'src')))).toEqual({
      group: [{ convention: farms.name, id: 'farm/north-0', size: 3 }],
      root: { display: 'Farm north', counts: true },
      annotations: ['herds.example.com/size'],
      watchedOwner: [{ group: 'farm.example.com', kind: 'Farm', scaled: true }],
      watchedObjects: ['farm.example.com'],
      rights: [
        { apiGroups: ['farm.example.com'], resources: ['podgroups'], verbs: ['list', 'watch'] },
        { apiGroups: ['farm.example.com'], resources: ['farms'], verbs: ['get', 'list', 'watch'] },
      ],
      checkedKinds: [expect.objectContaining({ apiGroups: ['farm.example.com'], resources: ['farms'] })],
      condition: true,
      template: ['spec.barn.template.'],
      standIns: ['north-0', 'north-0', 'north-0', 'north-1', 'north-1', 'north-1'],
    });
  });

  it('without its file is not known', async () => {
    expect(factsOf(await roomsOf(source))).toEqual({
      group: [],
      root: undefined,
      annotations: [],
      watchedOwner: [],
      watchedObjects: [],
      rights: [],
      checkedKinds: [],
      condition: false,
      template: [],
      // Two pods, as `replicas` says, without marks.
      standIns: [undefined, undefined],
    });
  });
});

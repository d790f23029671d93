// The layers of docs/ARCHITECTURE.md. Dependencies point one way; the embedded cluster stays an independent judge of `core` and `operator`.
const packages = {
  base: [],
  'embedded-cluster': ['base'],
  holdfast: ['base', 'embedded-cluster'],
  // The page speaks the server's types, and must not reach what runs in the server: see `the-page-knows-only-the-model`.
  dashboard: ['holdfast'],
};

/** The rooms of packages/holdfast/src. */
const rooms = {
  api: [],
  core: ['api'],
  kube: ['api'],
  telemetry: [],
  trust: ['api'],
  observe: ['api', 'core', 'kube', 'telemetry', 'trust'],
  install: ['api', 'core', 'kube', 'telemetry', 'trust', 'observe'],
  operator: ['api', 'core', 'kube', 'telemetry', 'trust', 'observe', 'install'],
  agent: ['api', 'core', 'kube', 'telemetry'],
  ui: [],
  cli: ['ui', 'api', 'core', 'kube', 'telemetry', 'trust', 'observe', 'install', 'operator', 'agent'],
};

const packageRules = Object.entries(packages).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/src/` },
}));

const inside = 'packages/holdfast/src';
const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^${inside}/${room}/` },
  to: { path: `^${inside}/`, pathNot: `^${inside}/(${[room, ...allowed].join('|')})/` },
}));

export default {
  forbidden: [
    ...packageRules,
    ...roomRules,
    ...['operator', 'agent', 'install'].map((room) => ({
      name: `${room}-is-entered-by-its-door`,
      severity: 'error',
      from: { path: `^${inside}/`, pathNot: `^${inside}/${room}/` },
      to: { path: `^${inside}/${room}/`, pathNot: `^${inside}/${room}/index\\.ts$` },
    })),
    {
      name: 'only-the-command-line-starts-a-cluster',
      severity: 'error',
      from: { path: `^${inside}/`, pathNot: `^${inside}/cli/` },
      to: { path: '^packages/embedded-cluster/' },
    },
    {
      name: 'the-embedded-cluster-is-entered-by-its-doors',
      severity: 'error',
      from: { path: `^${inside}/` },
      to: { path: '^packages/embedded-cluster/', pathNot: '^packages/embedded-cluster/src/(index|doors/[^/]+)\\.ts$' },
    },
    {
      name: 'the-page-knows-only-the-model',
      severity: 'error',
      from: { path: '^packages/dashboard/src/' },
      to: { path: '^packages/holdfast/', pathNot: `^${inside}/ui/(model|delta|details|what-if)\\.ts$` },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'pure-layers-do-no-io',
      severity: 'error',
      comment: 'api and core decide; they never touch the machine',
      from: { path: `^(${inside}/(api|core)/|packages/base/src/(?!certificates/))` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'every-file-has-a-room',
      severity: 'error',
      from: { path: `^${inside}/`, pathNot: `^${inside}/(${Object.keys(rooms).join('|')})/` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/(test|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};

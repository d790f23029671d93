// The layers of docs/ARCHITECTURE.md. Dependencies point one way; `cluster` stays an independent judge of `core` and `operator`.
const layers = {
  api: [],
  core: ['api'],
  kube: ['api'],
  telemetry: [],
  pki: [],
  operator: ['api', 'core', 'kube', 'telemetry', 'pki'],
  agent: ['api', 'core', 'kube', 'telemetry'],
  cluster: ['api', 'telemetry', 'pki'],
  ui: [],
  cli: ['ui', 'api', 'core', 'kube', 'telemetry', 'pki', 'operator', 'agent', 'cluster'],
};

const layerRules = Object.entries(layers).map(([layer, allowed]) => ({
  name: `${layer}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: `^src/(${[layer, ...allowed].join('|')})/` },
}));

export default {
  forbidden: [
    ...layerRules,
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
      from: { path: '^src/(api|core)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'every-file-has-a-room',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${Object.keys(layers).join('|')})/` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};

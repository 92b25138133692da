// Who may import whom. Each rule says why; DESIGN of the project: CONTRIBUTING.md, "The map".
const only = (name, comment, from, to) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { pathNot: to },
});

export default {
  forbidden: [
    only(
      'base-imports-nothing',
      'base is what everybody shares; an import would drag its reason along.',
      '^engine/base/',
      '^engine/base/',
    ),
    only(
      'core-is-pure',
      'engine/core takes time, bytes and chance as arguments.',
      '^engine/core/',
      '^engine/(core|base)/',
    ),
    only(
      'wire-is-a-codec',
      'The protocol codec serves server and generator alike, so it knows neither.',
      '^engine/wire/',
      '^engine/(wire|base)/',
    ),
    {
      name: 'engine-stands-alone',
      severity: 'error',
      comment: 'The engine is a server of its own; load, results and pictures are made around it.',
      from: { path: '^engine/' },
      to: { path: '^(workloads|runners|results|dashboards)/' },
    },
    only(
      'workloads-know-no-target',
      'The same workload must run in the simulator and against NATS.',
      '^workloads/',
      '^(workloads|engine/base)/',
    ),
    {
      name: 'results-only-read-records',
      severity: 'error',
      comment: 'Compare, size and report are functions of stored records.',
      from: { path: '^results/' },
      to: { path: '^(workloads|runners|dashboards|engine/(core|wire|host|sim|mod))' },
    },
    {
      name: 'dashboards-only-draw',
      severity: 'error',
      comment: 'A picture is a function of results.',
      from: { path: '^dashboards/' },
      to: { path: '^(workloads|runners|engine/(core|wire|host|sim|mod))' },
    },
    {
      name: 'engine-through-its-door',
      severity: 'error',
      comment: 'runners/targets and the serve command alone open the engine, through engine/mod.ts.',
      from: { path: '^runners/', pathNot: '^runners/(targets/|commands/serve)' },
      to: { path: '^engine/(core|host|sim|mod)' },
    },
    {
      name: 'dashboards-from-commands',
      severity: 'error',
      comment: 'Only a command decides that a page is written.',
      from: { path: '^runners/', pathNot: '^runners/commands/' },
      to: { path: '^dashboards/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'A cycle is one module in two files.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-imports-test',
      severity: 'error',
      comment: 'Tests are leaves.',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};

import type { ParameterSpec, Workload } from './workload.ts';

/** The catalogue of workloads as Markdown: what each asks, and its parameters. */
export function catalogue(workloads: Readonly<Record<string, Workload>>): string {
  const chapters = Object.values(workloads).map(chapter);
  return [
    '# Workloads',
    'Generated from the registry. Parameters are set in a plan or with `--set name=value`, always with their unit.',
    ...chapters,
  ]
    .join('\n\n')
    .concat('\n');
}

function chapter(workload: Workload): string {
  const rows = Object.entries(workload.parameters).map(([name, spec]) => row(name, spec));
  const table = ['| Parameter | Kind | Default | Smoke | What it is |', '|---|---|---|---|---|', ...rows];
  return [`## ${workload.name}`, workload.doc, table.join('\n')].join('\n\n');
}

function row(name: string, spec: ParameterSpec): string {
  const kind = spec.choices === undefined ? spec.kind : spec.choices.join(', ');
  const cells = [`\`${name}\``, kind, `\`${spec.default}\``, `\`${spec.smoke}\``, spec.doc];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** One series of numbers for a Prometheus scraper. */
export interface Metric {
  /** `[a-zA-Z_:][a-zA-Z0-9_:]*`, unit last. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Content type of `metricsText`. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics in Prometheus' text format 0.0.4. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map((metric) => metricText(metric)).join('');
}

function metricText({ name, help, type, samples }: Metric): string {
  const helpText = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const lines = samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${numberText(value)}\n`);
  return `# HELP ${name} ${helpText}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapedLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapedLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

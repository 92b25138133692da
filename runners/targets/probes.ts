// What a server tells about itself over HTTP while it is loaded. Everything here may be missing: then it is null.

import { Agent, get } from 'node:http';

const timeoutMilliseconds = 5000;

// One connection that stays open: a look at the target must cost neither it nor the generator more than it has to.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
agent.on('free', (socket) => socket.unref());

/** The body of a GET, or null when it cannot be had: a probe that does not answer is a gap in the record. */
function httpText(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent, timeout: timeoutMilliseconds }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve(response.statusCode === 200 ? body : null));
      response.on('error', () => resolve(null));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}

/** Sum over all label sets of one metric in the Prometheus text format, or null when it is not there. */
export function metricSum(text: string, name: string): number | null {
  let sum: number | null = null;
  for (const line of text.split('\n')) {
    const isMetric = line.startsWith(`${name} `) || line.startsWith(`${name}{`);
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (isMetric && Number.isFinite(value)) sum = (sum ?? 0) + value;
  }
  return sum;
}

/** Live heap of our engine, from its /metrics. */
export async function engineHeapBytes(monitoringUrl: string): Promise<number | null> {
  const text = await httpText(`${monitoringUrl}/metrics`);
  return text === null ? null : metricSum(text, 'oncemark_heap_bytes');
}

/** The dedup windows of our engine, all streams together, from its /metrics. */
export async function engineDedup(
  monitoringUrl: string,
): Promise<{ entryCount: number; bytes: number } | null> {
  const text = await httpText(`${monitoringUrl}/metrics`);
  if (text === null) return null;
  const entryCount = metricSum(text, 'oncemark_dedup_entries');
  const bytes = metricSum(text, 'oncemark_dedup_bytes');
  return entryCount === null || bytes === null ? null : { entryCount, bytes };
}

/** Live heap of a Go server after a collection, from its profiling port. */
export async function goHeapBytes(profilingUrl: string): Promise<number | null> {
  const text = await httpText(`${profilingUrl}/debug/pprof/heap?gc=1&debug=1`);
  const match = /^# HeapAlloc = (\d+)$/m.exec(text ?? '');
  return match === null ? null : Number(match[1]);
}

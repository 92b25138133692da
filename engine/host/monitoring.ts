import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metric } from './metrics-text.ts';
import { metricsContentType, metricsText } from './metrics-text.ts';

/** What the pages show, asked for at each request. The objects become JSON as they are (spec 9). */
export interface MonitoringSource {
  varz(): object;
  jsz(query: URLSearchParams): object;
  connz(query: URLSearchParams): object;
  healthz(query: URLSearchParams): Health;
  metrics(): readonly Metric[];
}

export interface Health {
  readonly status: 'ok' | 'unavailable' | 'error';
  /** Why not, in a sentence. */
  readonly error?: string;
}

export interface Monitoring {
  readonly port: number;
  close(): Promise<void>;
}

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

type Route = (query: URLSearchParams) => Page;

/**
 * Serves `/`, `/varz`, `/jsz`, `/connz`, `/healthz` (503 unless ok) and `/metrics` to GET and HEAD. Port 0 takes any
 * free one. Rejects when it cannot listen there.
 */
export async function startMonitoring(options: {
  readonly host: string;
  readonly port: number;
  readonly source: MonitoringSource;
}): Promise<Monitoring> {
  const routes = routesOf(options.source);
  const server = createServer((request, response) => answer(routes, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function routesOf(source: MonitoringSource): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>([
    ['/varz', () => jsonPage(200, source.varz())],
    ['/jsz', (query) => jsonPage(200, source.jsz(query))],
    ['/connz', (query) => jsonPage(200, source.connz(query))],
    ['/healthz', (query) => healthPage(source.healthz(query))],
    [
      '/metrics',
      () => ({ status: 200, contentType: metricsContentType, body: metricsText(source.metrics()) }),
    ],
  ]);
  const links = [...routes.keys()].map((path) => `<li><a href="${path}">${path.slice(1)}</a></li>`);
  const body = `<!doctype html>\n<title>oncemark</title>\n<ul>\n${links.join('\n')}\n</ul>\n`;
  routes.set('/', () => ({ status: 200, contentType: 'text/html; charset=utf-8', body }));
  return routes;
}

function answer(
  routes: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const { status, contentType, body } = pageFor(routes, request.method, path, query);
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  });
  response.end(body);
}

function pageFor(
  routes: ReadonlyMap<string, Route>,
  method: string | undefined,
  path: string,
  query: string,
): Page {
  if (method !== 'GET' && method !== 'HEAD') return textPage(405, 'only GET and HEAD are served here\n');
  const route = routes.get(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
  return route === undefined
    ? textPage(404, `there is no page ${path}\n`)
    : route(new URLSearchParams(query));
}

function healthPage({ status, error }: Health): Page {
  if (status === 'ok') return jsonPage(200, { status });
  return jsonPage(503, { status, status_code: 503, error });
}

function jsonPage(status: number, value: object): Page {
  return { status, contentType: 'application/json', body: `${JSON.stringify(value, null, 2)}\n` };
}

function textPage(status: number, body: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

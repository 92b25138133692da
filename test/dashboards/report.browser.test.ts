// The page as a browser shows it: network cut, every message and request a failure, with JavaScript on and off.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { renderReport } from '../../dashboards/report.ts';
import { buildRun, capacityPlan } from '../support/runs.ts';
import { chromiumPath, requireReal } from '../support/real.ts';

const path = chromiumPath();
const looked =
  'looked at CHROMIUM_PATH, /usr/bin/chromium, /usr/bin/chromium-browser and /usr/bin/google-chrome';
const hasChromium = requireReal('chromium', path !== null, looked);

const generatedAt = '2026-05-04T09:41:00Z';
const hostile = '</script><img src=x onerror=alert(1)>';
const switches = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface Visit {
  readonly page: Page;
  /** Console messages, errors, dialogs and requests other than the file itself. */
  readonly noise: string[];
}

describe.skipIf(!hasChromium)('report in a browser', { timeout: 60_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'oncemark-report-'));
  const contexts: BrowserContext[] = [];
  let planFile = '';
  let hostileFile = '';

  beforeAll(async () => {
    planFile = await write(
      'plan.html',
      await renderReport(capacityPlan({ sampleCountMax: 2000 }), { generatedAt }),
    );
    const runs = [1000, 4000].map((rate, trial) => {
      const run = buildRun({ rate, trial });
      return {
        ...run,
        target: { ...run.target, version: hostile },
        workload: { ...run.workload, name: hostile },
      };
    });
    hostileFile = await write('hostile.html', await renderReport(runs, { generatedAt, title: hostile }));
  }, 60_000);

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });

  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  async function write(name: string, page: string): Promise<string> {
    const file = join(directory, name);
    writeFileSync(file, page);
    return pathToFileURL(file).href;
  }

  interface VisitOptions {
    readonly width?: number;
    readonly colorScheme?: 'light' | 'dark';
    readonly javaScriptEnabled?: boolean;
  }

  async function visit(address: string, options: VisitOptions = {}): Promise<Visit> {
    const context = await chromium.launchPersistentContext(mkdtempSync(join(directory, 'profile-')), {
      executablePath: path ?? '',
      headless: true,
      offline: true,
      args: switches,
      viewport: { width: options.width ?? 1280, height: 900 },
      colorScheme: options.colorScheme ?? 'light',
      javaScriptEnabled: options.javaScriptEnabled ?? true,
    });
    contexts.push(context);
    const page = await context.newPage();
    const noise: string[] = [];
    page.on('console', (message) => noise.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      noise.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url() !== address) noise.push(`request: ${request.url()}`);
    });
    await page.goto(address);
    return { page, noise };
  }

  it('opens without a message and without a request, every chart with marks', async () => {
    const { page, noise } = await visit(planFile);
    expect(await page.locator('h1').innerText()).toContain('trials must not be used');
    expect(await marksByFigure(page)).toEqual(everyChartHasMarks);
    expect(noise).toEqual([]);
  });

  it('shows the same with JavaScript off', async () => {
    const { page, noise } = await visit(planFile, { javaScriptEnabled: false });
    expect(await marksByFigure(page)).toEqual(everyChartHasMarks);
    await page.locator('#throughput summary').click();
    expect(await page.locator('#throughput table').isVisible()).toBe(true);
    expect(noise).toEqual([]);
  });

  it.each([390, 1280])('does not scroll sideways at %i pixels', async (width) => {
    const { page } = await visit(planFile, { width });
    const widths = await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
      return [document.documentElement.scrollWidth, document.documentElement.clientWidth];
    });
    expect(widths).toEqual([width, width]);
    expect(await marksByFigure(page)).toEqual(everyChartHasMarks);
  });

  it('draws in the colours of the theme', async () => {
    const stroke = (page: Page): Promise<string> =>
      page.evaluate(() => {
        const line = document.querySelector('#response-time .wide path[stroke="var(--series-1)"]');
        return line === null ? 'none' : getComputedStyle(line).stroke;
      });
    const light = await visit(planFile);
    const dark = await visit(planFile, { colorScheme: 'dark' });
    expect(await stroke(light.page)).toBe('rgb(0, 114, 178)');
    expect(await stroke(dark.page)).toBe('rgb(86, 180, 233)');
    await dark.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await stroke(dark.page)).toBe('rgb(0, 114, 178)'); // paper is white
  });

  it('shows hostile names as text (C153)', async () => {
    const { page, noise } = await visit(hostileFile);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('header .title').innerText()).toBe(hostile);
    expect(noise).toEqual([]);
  });
});

const everyChartHasMarks = {
  throughput: true,
  'response-time': true,
  spectrum: true,
  'leaked-duplicates': true,
  redeliveries: true,
  'ack-wait-latency': true,
  memory: true,
  'window-rate-map': true,
};

/** Whether each figure has visible marks in a colour of a series or of a map. */
async function marksByFigure(page: Page): Promise<Record<string, boolean>> {
  return page.evaluate(() => {
    const isMark = (element: Element): boolean => {
      const paint = `${element.getAttribute('fill') ?? ''} ${element.getAttribute('stroke') ?? ''}`;
      const { width, height } = element.getBoundingClientRect();
      return /--(?:series|heat)-\d/.test(paint) && width + height > 4;
    };
    const figures = [...document.querySelectorAll('figure')];
    return Object.fromEntries(
      figures.map((figure) => [figure.id, [...figure.querySelectorAll('svg[role=img] *')].some(isMark)]),
    );
  });
}

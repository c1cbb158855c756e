import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { type MainThreadWork, recordTasks } from '../browser/main-thread.ts';
import type { PageMethods } from '../parley/page.ts';
import { Child } from '../process/child.ts';
import { eventsPerStep, makeStep } from '../process/talk.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { judge, printTable } from '../report/table.ts';
import { interleave, type Plan, type Side, sides } from './stage.ts';

interface Probe {
  awaitRows(count: number): Promise<{ readonly ms: number; readonly afterLoadMs: number }>;
  readUp(text: string): Promise<number>;
  focusField(n: number): Promise<void>;
  nextFrame(): Promise<void>;
  takeDelays(): number[];
}

declare global {
  var probe: Probe;
}

const probePath = fileURLToPath(new URL('../browser/probe.mjs', import.meta.url));
const newest = 100;

/** Goals in ms. */
const goals = { rows: { atMost: 200 }, task: { atMost: 50 }, key: { atMost: 16 } };

interface Visit {
  readonly ms: number;
  readonly afterLoadMs: number;
  readonly open: MainThreadWork;
  readonly upMs: number;
  readonly up: MainThreadWork;
  readonly keyMs: number;
  readonly keyTask: number;
  readonly keyCpu: number;
}

interface Site {
  readonly process: Child<PageMethods>;
  readonly transcript: string;
  readonly form: string;
}

/** W8: a long session is opened and read upwards, and somebody types into a large form. */
export async function measurePages({ rounds, page: plan }: Plan, dataDir: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: ensureChromium(console.error),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const sites = { limit: await openSite('limit', plan, dataDir), parley: await openSite('parley', plan, dataDir) };
  try {
    const visits = await interleave(rounds, (side) => visit(browser, sites[side], plan));
    report(visits, plan);
  } finally {
    await Promise.all([browser.close(), ...sides.map((side) => sites[side].process.stop())]);
  }
}

async function openSite(side: Side, { events, fields }: Plan['page'], dataDir: string): Promise<Site> {
  const process = new Child<PageMethods>(`${side}/page.ts`, [dataDir]);
  await process.call('listen');
  return {
    process,
    transcript: await process.call('fillTranscript', events),
    form: await process.call('openForm', fields),
  };
}

async function visit(browser: Browser, { transcript, form }: Site, plan: Plan['page']): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript({ path: probePath });
  const open = await recordTasks(browser, page, async () => {
    await page.goto(transcript);
    const rows = await page.evaluate((count) => globalThis.probe.awaitRows(count), newest);
    await page.waitForLoadState('networkidle');
    return rows;
  });
  const { thinking } = makeStep(Math.floor((plan.events - plan.upwards) / eventsPerStep));
  const up = await recordTasks(browser, page, () => page.evaluate((text) => globalThis.probe.readUp(text), thinking));
  await page.goto(form);
  const typed = await type(browser, page, plan);
  await context.close();
  return {
    ...open.result,
    open,
    upMs: up.result,
    up,
    keyMs: Math.max(0, ...typed.result),
    keyTask: typed.longestTask,
    keyCpu: typed.cpu / plan.keys,
  };
}

async function type(browser: Browser, page: Page, { fields, keys }: Plan['page']) {
  await page.evaluate((n) => globalThis.probe.focusField(n), Math.floor(fields / 2));
  await page.waitForLoadState('networkidle');
  return recordTasks(browser, page, async () => {
    await page.evaluate(() => globalThis.probe.takeDelays());
    for (let n = 0; n < keys; n += 1) {
      await page.keyboard.press('a');
      await page.evaluate(() => globalThis.probe.nextFrame());
    }
    await page.evaluate(() => globalThis.probe.nextFrame());
    return page.evaluate(() => globalThis.probe.takeDelays());
  });
}

function report(visits: Record<Side, readonly Visit[]>, { events, upwards, fields }: Plan['page']): void {
  const row = (name: string, read: (visit: Visit) => number, goal?: { atMost: number }) => {
    const [limit, parley] = sides.map((side) => visits[side].map(read)) as [number[], number[]];
    const own = median(parley);
    return [name, show(median(limit)), goal ? judge(own, goal) : show(own), show(medianRatio(parley, limit))];
  };
  printTable(
    `W8 in Chromium: a session of ${events} events, and a form of ${fields} fields (goals in ms: the newest ${newest} rows ${goals.rows.atMost} after the load, a task ${goals.task.atMost}, a key ${goals.key.atMost})`,
    ['', 'limit', 'parley', 'ratio'],
    [
      row('newest rows, ms after the load', (visit) => visit.afterLoadMs, goals.rows),
      row('newest rows, ms', (visit) => visit.ms),
      row('opening, CPU ms', (visit) => visit.open.cpu),
      row('opening, longest task, CPU ms', (visit) => visit.open.longestTask, goals.task),
      row(`${upwards} events upwards, ms`, (visit) => visit.upMs),
      row('upwards, CPU ms', (visit) => visit.up.cpu),
      row('upwards, longest task, CPU ms', (visit) => visit.up.longestTask, goals.task),
      row('a key until it is shown, worst, ms', (visit) => visit.keyMs),
      row('a key, CPU ms', (visit) => visit.keyCpu),
      row('a key, longest task, CPU ms', (visit) => visit.keyTask, goals.key),
    ],
  );
}

import type { Browser, Page } from 'playwright-core';

/** The work of a page's main thread in ms of CPU, which other work on the machine does not distort. */
export interface MainThreadWork {
  readonly cpu: number;
  readonly longestTask: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in us. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Records the tasks of a page while `work` runs. */
export async function recordTasks<Result>(
  browser: Browser,
  page: Page,
  work: () => Promise<Result>,
): Promise<MainThreadWork & { readonly result: Result }> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  const result = await work();
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(String(await browser.stopTracing()));
  return { ...sumUp(traceEvents), result };
}

/** Sums up the tasks of the busiest renderer; the browser also has a spare one. */
function sumUp(events: readonly TraceEvent[]): MainThreadWork {
  const idOf = ({ pid, tid }: TraceEvent) => `${pid}.${tid}`;
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(idOf),
  );
  const tasks = new Map<string, number[]>();
  for (const event of events) {
    const id = idOf(event);
    if (!event.name.endsWith('RunTask') || event.tdur === undefined || !mains.has(id)) continue;
    tasks.set(id, [...(tasks.get(id) ?? []), event.tdur / 1000]);
  }
  const works = [...tasks.values()].map((times) => ({
    cpu: times.reduce((sum, ms) => sum + ms, 0),
    longestTask: Math.max(...times),
  }));
  return works.sort((a, b) => b.cpu - a.cpu)[0] ?? { cpu: Number.NaN, longestTask: Number.NaN };
}

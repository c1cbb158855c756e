import { RefusalError, type StatisticsGrouping, statisticsGroupings } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import type { StatisticsService } from '../extensions/statistics/statistics-service.ts';
import { type Entry, enter, parse } from './frame-request.ts';
import { describe, json } from './operation.ts';
import type { Env } from './request.ts';

export interface StatisticsRoutes extends Entry {
  readonly statistics: StatisticsService;
  /** Aborted when the server stops. */
  readonly stopping: AbortController;
}

/** As how many requests one counts, because it reads a lot (SEC11). */
const cost = 10;

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());
const name = z.string().min(1).max(200);

const query = z.object({
  by: z
    .enum(statisticsGroupings)
    .default('tool' satisfies StatisticsGrouping)
    .describe('What to group by.'),
  session: name.optional().describe('Only this session.'),
  tool: name.optional().describe('Only this tool.'),
  person: name.optional().describe('Only what this person answered: an id, or a name.'),
  from: time.optional().describe('Only what was asked, or passed, from this time on.'),
  to: time.optional().describe('Only what was asked, or passed, before this time.'),
});

const count = z.int();
const counts = {
  asked: count.describe('Prompts, whatever became of them.'),
  approved: count,
  denied: count,
  submitted: count.describe('Forms that were filled in.'),
  cancelled: count,
  timeout: count,
  withdrawn: count,
  open: count,
  byGrant: count.describe('Calls and prompts that an earlier approval covered.'),
  byPolicy: count,
  byMode: count,
  byReviewer: count,
  refused: count.describe('Calls that a policy or the mode denied.'),
  edited: count,
  unread: count.describe('Approved in less than one second and another for each hundred characters of what was shown.'),
  sampled: count.describe('What a reviewer would have let pass, and a person answered.'),
  disputed: count.describe('How much of it that person refused.'),
  medianMs: z.number().optional().describe('From asking to a person’s answer.'),
  p95Ms: z.number().optional(),
};

const replySchema = z.object({
  by: z.enum(statisticsGroupings),
  total: z.object(counts),
  groups: z.array(
    z.object({
      key: z.string().optional().describe('Absent for what has none, such as a rule.'),
      name: z.string().optional(),
      toolName: z.string().optional(),
      ...counts,
    }),
  ),
  left: count.describe('Number of groups that are left out.'),
});

const none = Object.fromEntries(Object.keys(counts).map((name) => [name, 0]));
const some = { ...none, asked: 9, approved: 8, denied: 1, byGrant: 30, unread: 2, medianMs: 5200, p95Ms: 61_000 };

/** Serves statistics of what was asked and what passed (LESS1). */
export function serveStatistics(app: Hono<Env>, routes: StatisticsRoutes): void {
  const about = describe({
    ...{
      group: 'Answers',
      summary: 'How much was asked and how it was answered, in the sessions that one sees.',
      query,
    },
    responses: {
      200: json('Numbers, and no values.', replySchema, {
        ...{ by: 'tool', total: some, groups: [{ key: 'run_command', ...some }], left: 0 },
      }),
    },
  });
  app.get('/api/stats', about, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    if (principal.role === 'asker') throw new RefusalError('forbidden');
    const { session: sessionId, tool: toolName, ...others } = parse(query, context.req.query());
    routes.quotas.pace(principal, cost);
    const gone = AbortSignal.any([context.req.raw.signal, routes.stopping.signal]);
    return context.json(await routes.statistics.read(principal, { ...others, sessionId, toolName }, gone));
  });
}

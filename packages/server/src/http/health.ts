import type { wireErrors } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import type { Metrics } from '../extensions/telemetry/metrics.ts';
import { describe, json, text } from './operation.ts';
import { refuse } from './refusal.ts';
import { type Authentication, authorise, type Env } from './request.ts';

export interface HealthRoutes extends Authentication {
  readonly metrics: Metrics;
  /** Finds out why the server is not ready; undefined if it is. */
  readonly findFault: () => Promise<Fault | undefined>;
  /** Proves that this is the server of its data directory: see `proveIdentity`. */
  readonly prove: (nonce: string) => string | undefined;
}

/** The server is starting or stopping, or nothing can be stored. */
type Fault = 'stopped' | keyof typeof wireErrors;

const group = 'Server';

/** Serves health, readiness, metrics and identity of the server. */
export function serveHealth(app: Hono<Env>, routes: HealthRoutes): void {
  const aboutHealth = describe({
    ...{ group, summary: 'Whether the process answers.', isOpen: true },
    responses: { 200: json('It does.', z.object({ ok: z.literal(true) }), { ok: true }) },
  });
  app.get('/healthz', aboutHealth, (context) => context.json({ ok: true }));

  const readiness = (ready: boolean) => z.object({ ready: z.literal(ready), code: z.string().optional() });
  const aboutReadiness = describe({
    ...{ group, summary: 'Whether something can be stored.', isOpen: true },
    responses: { 200: json('Yes.', readiness(true)), 503: json('No, and why.', readiness(false)) },
  });
  app.get('/readyz', aboutReadiness, async (context) => {
    const code = await routes.findFault();
    return context.json({ ready: code === undefined, code }, code === undefined ? 200 : 503);
  });

  const aboutMetrics = describe({
    ...{ group, summary: 'Counts and times, for Prometheus.' },
    responses: { 200: text('In its text format.', 'text/plain') },
  });
  app.get('/metrics', aboutMetrics, async (context) => {
    const admission = await authorise(context, routes);
    if (!admission) return refuse(context, 401, 'unauthorised');
    if (admission.principal.sessions) return refuse(context, 403, 'forbidden'); // metrics cover all sessions
    context.header('Content-Type', routes.metrics.registry.contentType);
    return context.body(await routes.metrics.registry.metrics());
  });

  const aboutIdentity = describe({
    summary: 'Proves to a program of the same data directory which server this is.',
    ...{ group, isOpen: true, query: z.object({ nonce: z.string() }) },
    responses: { 200: json('The proof.', z.object({ proof: z.string() })) },
  });
  app.get('/api/identity', aboutIdentity, (context) => {
    const proof = routes.prove(context.req.query('nonce') ?? '');
    return proof === undefined ? refuse(context, 404, 'not_found') : context.json({ proof });
  });
}

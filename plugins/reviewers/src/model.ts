import { randomUUID } from 'node:crypto';
import type { Reviewer } from '@parleyhq/core';
import * as z from 'zod';
import { askModel } from './messages.ts';
import { makeRequest, readReply } from './model-request.ts';
import { findProse } from './prose.ts';
import { findSuspicion } from './suspicion.ts';

const keyName = 'ANTHROPIC_API_KEY';

const settings = z
  .strictObject({
    model: z.string().min(1),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** What the operator adds to the rules, such as what this server's tools are for. */
    instructions: z.string().min(1).max(4000).optional(),
    /** Arguments that may be prose: whoever writes them can speak to the model. */
    freeText: z.array(z.string().min(1)).default([]),
  })
  .refine(() => Boolean(process.env[keyName]), `the environment needs ${keyName}`);

/**
 * Asks a model over the Messages API. It can be fooled by what it reads, so texts in which others could speak to it are never
 * shown to it, and only calls of low risk should be left to it.
 */
export const model: Reviewer = {
  name: 'model',
  configSchema: settings,
  async review(request, { config, signal }) {
    const { baseUrl, freeText, ...options } = config as z.output<typeof settings>;
    const suspicion = findSuspicion(request) ?? findProse(request, freeText);
    if (suspicion !== undefined) return { verdict: 'ask', reason: suspicion };
    const apiKey = process.env[keyName] ?? '';
    const baseURL = baseUrl ?? (process.env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com');
    return readReply(await askModel({ apiKey, baseURL }, makeRequest(options, request, randomUUID()), signal));
  },
};

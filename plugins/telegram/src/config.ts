import { Api } from 'grammy';
import * as z from 'zod';

export const configSchema = z.strictObject({
  /** From @BotFather. */
  token: z.string().min(1, 'must be the token of a bot, from @BotFather'),
  apiRoot: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
});

/** How the library names the type of a signal. */
export type Signal = Parameters<Api['getUpdates']>[1];

/** In seconds: longer than a long poll, so that a dead connection is noticed. */
const longestRequest = 60;

/** Returns a client of the Bot API. */
export function makeApi(config: unknown): Api {
  const { token, apiRoot } = config as z.infer<typeof configSchema>;
  const root = apiRoot?.replace(/\/+$/, '');
  return new Api(token, { timeoutSeconds: longestRequest, ...(root !== undefined && { apiRoot: root }) });
}

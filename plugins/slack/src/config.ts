import * as z from 'zod';

const token = z.string('must be a token').min(1, 'must be a token');

export const configSchema = z.strictObject({
  /** App-level token, which opens the connections of Socket Mode. */
  appToken: token,
  /** Token of the bot, which sends the messages. */
  botToken: token,
  /** Base address of the Web API, for a gateway of one's own. */
  apiUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).default('https://slack.com/api/'),
});

export type SlackConfig = z.infer<typeof configSchema>;

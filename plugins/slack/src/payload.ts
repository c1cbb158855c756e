import * as z from 'zod';

/** What is read of Slack's payloads; everything else in them is ignored. */
const team = z.object({ id: z.string() }).nullish();
const user = z.object({
  id: z.string(),
  team_id: z.string().optional(),
  username: z.string().optional(),
  name: z.string().optional(),
});

export const pressSchema = z.object({
  type: z.literal('block_actions'),
  user,
  team,
  trigger_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ channel_id: z.string().optional(), message_ts: z.string().optional() }).optional(),
  message: z.object({ ts: z.string() }).optional(),
  actions: z.array(
    z.object({
      action_id: z.string(),
      value: z.string().optional(),
      selected_option: z.object({ value: z.string() }).nullish(),
    }),
  ),
});
export type Press = z.infer<typeof pressSchema>;

export const submissionSchema = z.object({
  type: z.literal('view_submission'),
  user,
  team,
  view: z.object({
    id: z.string().optional(),
    private_metadata: z.string(),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  }),
});
export type Submission = z.infer<typeof submissionSchema>;

export const messageSchema = z.object({
  team_id: z.string().optional(),
  event_id: z.string().optional(),
  event: z.object({
    type: z.literal('message'),
    subtype: z.string().optional(),
    bot_id: z.string().optional(),
    user: z.string().optional(),
    user_team: z.string().optional(),
    channel: z.string(),
    channel_type: z.string().optional(),
    text: z.string().default(''),
    ts: z.string(),
    thread_ts: z.string().optional(),
  }),
});
export type Message = z.infer<typeof messageSchema>;

export const leaverSchema = z.object({
  team_id: z.string().optional(),
  event: z.object({
    type: z.literal('user_change'),
    event_ts: z.string().optional(),
    user: z.object({ id: z.string(), team_id: z.string().optional(), deleted: z.boolean().optional() }),
  }),
});

const place = z.object({ channel: z.string(), ts: z.string() });

/** What a button of ours carries. Whoever changed it gets no further: tickets are signed. */
export const buttonSchema = z.object({ ticket: z.string(), action: z.string().optional() });
export const purposeSchema = buttonSchema.extend({ place: place.optional() });

/** Reads JSON that came back from Slack. Undefined if it is not what was sent there. */
export function readBack<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined; // not JSON, so not ours
  }
}

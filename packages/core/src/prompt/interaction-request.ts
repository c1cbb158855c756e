import * as z from 'zod/mini';
import { jsonValue } from '../basics/json-value.ts';
import { formSchema } from '../form/field.ts';
import { formButtonsSchema } from '../form/form-button.ts';
import { askedAudienceSchema, escalateSchema } from './audience.ts';
import {
  approvalScopes,
  completedViewSchema,
  editPathSchema,
  presentations,
  reasonRequiredSchema,
  riskSchema,
  sourceSchema,
  subjectSchema,
  valuesSchema,
  visibilitySchema,
} from './interaction.ts';
import { quorumSchema } from './quorum.ts';
import { reviewedSchema } from './review.ts';
import { offeredRulesSchema } from './rule.ts';
import { viewSchema } from './view.ts';

/** What every prompt has. */
const sharedMembers = {
  toolCallId: z.string(),
  interactionId: z.string(),
  slot: z.string(),
  toolName: z.string(),
  attempt: z.int(),
  replaces: z.optional(z.string()),
  /** An answered prompt of this slot that asked a different question, so its answer does not count (DUR5). */
  setsAside: z.optional(z.string()),
  title: z.optional(z.string()),
  prompt: z.optional(z.string()),
  subject: z.optional(subjectSchema),
  error: z.optional(z.string()),
  fieldErrors: z.optional(z.record(z.string(), z.string())),
  /** What an approval offers. Earlier releases stored it with every prompt. */
  approvalScopes: z.optional(z.array(z.enum(approvalScopes))),
  presentation: z.enum(presentations),
  completedView: z.optional(completedViewSchema),
  source: sourceSchema,
  risk: z.optional(riskSchema),
  digest: z.string(),
  /** An answer other than a refusal must be signed by a passkey of the person who gives it (SIGN2). */
  stepUp: z.optional(z.literal(true)),
  timeoutMs: z.optional(z.number()),
  /** Set if `timeoutMs` is a default, longer because people can be notified while they are away (NTF1). */
  isUnwatched: z.optional(z.literal(true)),
  expiresAt: z.optional(z.iso.datetime()),
  onUnavailable: z.enum(['error', 'wait']),
  audience: z.optional(askedAudienceSchema),
  visibility: z.optional(visibilitySchema),
  escalate: z.optional(escalateSchema),
  reasonRequired: z.optional(reasonRequiredSchema),
  /** Whoever asks is given people's words with a denial only (REV2). */
  wordsOnlyWithDenial: z.optional(z.literal(true)),
  /** The persons who requested the turn, if some of them may not answer (TEAM2). */
  requesters: z.optional(z.array(z.string())),
  /** There is no `onResponse` hook: the answer itself is the outcome and needs no record of one (DUR2). */
  isPlain: z.optional(z.boolean()),
  /** Whether the handler has an `onTimeout` hook (INT10). Absent in events of earlier releases. */
  hasTimeoutHook: z.optional(z.boolean()),
  /** Whether there is an `onCancel` or a late-answer hook, for which a call that has been asleep since a restart is woken (DUR10). */
  hasCancelHook: z.optional(z.literal(true)),
  hasLateHook: z.optional(z.literal(true)),
  /** Who may reply to comments on it; absent if only people can (REV4). A comment to a tool or an agent wakes a sleeping call. */
  commentsTo: z.optional(z.enum(['tool', 'agent', 'caller'])),
};

/** The form, which an approval may have as details. An excerpt of a large prompt lacks it (SEC11). */
const formMembers = {
  inputSchema: z.optional(formSchema),
  initialValues: z.optional(valuesSchema),
  view: z.optional(viewSchema),
};

const approvalRequestSchema = z.object({
  ...sharedMembers,
  ...formMembers,
  interactionType: z.literal('approval'),
  grantKey: z.optional(z.string()),
  /** Validity of a lasting consent in milliseconds; indefinite if absent. */
  grantTtlMs: z.optional(z.number()),
  /** Validity of a consent for the session, if different. */
  sessionTtlMs: z.optional(z.number()),
  editable: z.optional(z.boolean()),
  editPath: z.optional(editPathSchema),
  /** The arguments that are asked about and that an edit starts from, if they differ from those of the call (APR2). */
  args: z.optional(jsonValue),
  /** Wider consents than the exact one (APR7). */
  rules: z.optional(offeredRulesSchema),
  /** Rules of its tool that a person allows apart from it may answer it, and may be suggested on its card (LESS2). */
  suggests: z.optional(z.literal(true)),
  decide: z.optional(quorumSchema),
  /** What a reviewer found. If it passed the call, this prompt is a sample that measures it (LESS3). */
  reviewed: z.optional(reviewedSchema),
});

const inputRequestSchema = z.object({
  ...sharedMembers,
  ...formMembers,
  interactionType: z.literal('input'),
  /** How long the consent lasts at most that the form gives. */
  consents: z.optional(z.enum(approvalScopes)),
  /** Custom buttons of the form (PLG11). */
  actions: z.optional(formButtonsSchema),
});

const urlRequestSchema = z.object({
  ...sharedMembers,
  interactionType: z.literal('url'),
  /** The http or https address. An excerpt of a large prompt lacks it (SEC11). */
  url: z.optional(z.string()),
});

type Members =
  | z.infer<typeof approvalRequestSchema>
  | z.infer<typeof inputRequestSchema>
  | z.infer<typeof urlRequestSchema>;
type MemberName = Members extends infer Kind ? (Kind extends unknown ? keyof Kind : never) : never;

/** Members of other kinds can be read and are undefined, for code that treats all kinds alike. */
type Only<Kind> = Kind & { [Name in Exclude<MemberName, keyof Kind>]?: undefined };

/** A prompt that a person approves or denies. */
export type ApprovalRequest = Only<z.infer<typeof approvalRequestSchema>>;
/** A prompt with a form to fill in. */
export type InputRequest = Only<z.infer<typeof inputRequestSchema>>;
/** A prompt for consent to open an address. */
export type UrlRequest = Only<z.infer<typeof urlRequestSchema>>;

/** A prompt as stored and sent: the payload of `interaction_request`. */
export type InteractionRequest = ApprovalRequest | InputRequest | UrlRequest;

export const interactionRequestSchema: z.ZodMiniType<InteractionRequest> = z.discriminatedUnion('interactionType', [
  approvalRequestSchema,
  inputRequestSchema,
  urlRequestSchema,
]);

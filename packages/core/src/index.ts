export type { Awaitable } from './basics/awaitable.ts';
export * from './basics/command-environment.ts';
export * from './basics/cut-text.ts';
export * from './basics/error.ts';
export { findInexactNumber, InexactNumberError, parseExactJson } from './basics/exact-json.ts';
export { isKept } from './basics/exact-number.ts';
export { foldText } from './basics/fold-text.ts';
export * from './basics/id.ts';
export * from './basics/json.ts';
export { isDeeper, isTooDeep, storedDepth } from './basics/json-depth.ts';
export * from './basics/lifeline.ts';
export * from './basics/limits.ts';
export { type ComparedLine, compareLines } from './basics/line-diff.ts';
export { findMemberFault, type Shape } from './basics/member-shape.ts';
export { findNearName, suggestName } from './basics/near-name.ts';
export * from './basics/quota.ts';
export { storable, toStorable } from './basics/storable.ts';
export { TokenBucket } from './basics/token-bucket.ts';
export { describeUnknown, findUnknownMembers } from './basics/unknown-members.ts';
export { hasVisible, showHidden } from './basics/visible-text.ts';
export { writeJson } from './basics/write-json.ts';
export * from './decide/command.ts';
export * from './decide/decide.ts';
export { completeValues } from './form/complete-values.ts';
export { type ElicitationPrompt, type Elicited, readElicitation } from './form/elicitation.ts';
export * from './form/field.ts';
export * from './form/field-check.ts';
export * from './form/file.ts';
export { asksForFiles, checkFile, describeKinds, maxBytesOf } from './form/file-check.ts';
export { cleanFileName } from './form/file-name.ts';
export { type FileOptions, file } from './form/file-schema.ts';
export { fromFormValues, toFormValues } from './form/form-answer.ts';
export { type FormButton, findButton } from './form/form-button.ts';
export { findFieldFaults, findFormFaults } from './form/form-faults.ts';
export { formFromSchema } from './form/form-from-schema.ts';
export { isPicture, judgeMediaType } from './form/media-type.ts';
export { type Property, propertiesOf, withoutNull } from './form/schema-property.ts';
export { readNumber } from './form/typed-number.ts';
export { readTypedValue } from './form/typed-value.ts';
export * from './log/audit.ts';
export * from './log/comment-summary.ts';
export * from './log/counted-case.ts';
export * from './log/difference.ts';
export * from './log/earlier-version.ts';
export * from './log/event.ts';
export * from './log/fold-head.ts';
export * from './log/fresh-login.ts';
export * from './log/head.ts';
export * from './log/head-change.ts';
export * from './log/head-excerpt.ts';
export * from './log/head-hidden.ts';
export * from './log/hidden.ts';
export * from './log/hidden-call.ts';
export { hiddenWords } from './log/hidden-words.ts';
export * from './log/items.ts';
export * from './log/open-size.ts';
export * from './log/outside.ts';
export * from './log/prompt-life.ts';
export * from './log/review-words.ts';
export * from './log/session.ts';
export {
  describeAudience,
  describeCallback,
  describeClosing,
  describeQuorum,
  describeReasons,
  describeResponse,
  describeVotes,
  nameRuleScope,
  stopWords,
} from './log/settlement-words.ts';
export * from './log/statistics.ts';
export * from './log/statistics-grouping.ts';
export * from './log/statistics-words.ts';
export * from './log/vote.ts';
export * from './plugin/agent.ts';
export * from './plugin/approve.ts';
export { type AskOptions, askForm, confirm, type RequestInteraction } from './plugin/ask.ts';
export type * from './plugin/asking-program.ts';
export * from './plugin/author-check.ts';
export * from './plugin/call-faults.ts';
export * from './plugin/card.ts';
export * from './plugin/demand.ts';
export * from './plugin/door.ts';
export * from './plugin/edited-args.ts';
export * from './plugin/notification.ts';
export * from './plugin/notifier.ts';
export { checkCommentOutcome, checkOutcome } from './plugin/outcome.ts';
export * from './plugin/plugin.ts';
export * from './plugin/plugin-state.ts';
export { parseRequest, type RequestIssue, readRequest, secretFields, typedValues } from './plugin/read-request.ts';
export { type ResultMedia, splitMedia } from './plugin/result-media.ts';
export * from './plugin/reviewer.ts';
export type * from './plugin/socket-door.ts';
export * from './plugin/subcommand.ts';
export { checkSubcommands } from './plugin/subcommand-check.ts';
export * from './plugin/token-usage.ts';
export * from './plugin/tool.ts';
export { type UnawaitedCall, UnawaitedCalls } from './plugin/unawaited-calls.ts';
export { isOrphaning, whyOf, withdrawn } from './plugin/withdrawal.ts';
export * from './ports/audit-store.ts';
export * from './ports/bus.ts';
export * from './ports/close-code.ts';
export * from './ports/connection.ts';
export * from './ports/delivery-store.ts';
export * from './ports/event-store.ts';
export * from './ports/file-store.ts';
export * from './ports/grant-store.ts';
export * from './ports/link-store.ts';
export * from './ports/outside-store.ts';
export * from './ports/passkey-store.ts';
export * from './ports/plugin-state-store.ts';
export * from './ports/session-store.ts';
export * from './ports/shared-store.ts';
export * from './ports/statistics-store.ts';
export * from './ports/store.ts';
export * from './ports/token-store.ts';
export {
  type Annotation,
  type AnnotationSide,
  nameLines,
  quoteLines,
  splitLines,
} from './prompt/annotated-lines.ts';
export * from './prompt/annotation.ts';
export * from './prompt/annotation-check.ts';
export * from './prompt/answer.ts';
export * from './prompt/assertion.ts';
export * from './prompt/attachment.ts';
export * from './prompt/attachment-check.ts';
export * from './prompt/audience.ts';
export * from './prompt/challenge.ts';
export * from './prompt/grant.ts';
export * from './prompt/heading.ts';
export * from './prompt/interaction.ts';
export * from './prompt/interaction-request.ts';
export * from './prompt/quorum.ts';
export * from './prompt/review.ts';
export * from './prompt/role.ts';
export * from './prompt/rule.ts';
export { shownText } from './prompt/shown-text.ts';
export * from './prompt/step-up.ts';
export * from './prompt/suggestion.ts';
export * from './prompt/terms.ts';
export * from './prompt/token.ts';
export * from './prompt/version.ts';
export {
  maxViewData,
  maxViewLength,
  type ParleyView,
  type ShownView,
  type View,
  type ViewContent,
  viewHeight,
} from './prompt/view.ts';
export {
  connectSchemes,
  isWebOrigin,
  loadSchemes,
  type ViewApp,
} from './prompt/view-app.ts';
export { pathOfView, readViewMessage, type ViewMessage } from './prompt/view-message.ts';
export * from './schema/call-args.ts';
export { followReference } from './schema/reference.ts';
export * from './schema/standard-schema.ts';
export type { AnswerReply } from './wire/answer-reply.ts';
export * from './wire/call-comment.ts';
export * from './wire/frame.ts';
export * from './wire/frame-role.ts';
export * from './wire/permission-mode.ts';

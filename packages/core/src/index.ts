export * from './agent.ts';
export * from './answer.ts';
export * from './approve.ts';
export { type AskOptions, askForm, confirm, type RequestInteraction } from './ask.ts';
export * from './audience.ts';
export * from './audit.ts';
export * from './author-check.ts';
export type { Awaitable } from './awaitable.ts';
export * from './bus.ts';
export * from './call-args.ts';
export * from './call-faults.ts';
export * from './close-code.ts';
export * from './command.ts';
export { completeValues } from './complete-values.ts';
export * from './connection.ts';
export * from './decide.ts';
export * from './demand.ts';
export * from './edited-args.ts';
export * from './error.ts';
export * from './event.ts';
export * from './event-store.ts';
export { findInexactNumber, InexactNumberError, parseExactJson } from './exact-json.ts';
export { isKept } from './exact-number.ts';
export * from './field.ts';
export * from './field-check.ts';
export * from './file.ts';
export { asksForFiles, checkFile, describeKinds, maxBytesOf } from './file-check.ts';
export { cleanFileName } from './file-name.ts';
export { type FileOptions, file } from './file-schema.ts';
export * from './file-store.ts';
export { foldText } from './fold-text.ts';
export { fromFormValues, toFormValues } from './form-answer.ts';
export { type FormButton, findButton } from './form-button.ts';
export { findFieldFaults, findFormFaults } from './form-faults.ts';
export { formFromSchema } from './form-from-schema.ts';
export * from './frame.ts';
export * from './frame-role.ts';
export * from './grant.ts';
export * from './head.ts';
export * from './head-change.ts';
export * from './head-excerpt.ts';
export * from './head-hidden.ts';
export { HeardCalls, type Unheard } from './heard-calls.ts';
export * from './hidden.ts';
export { hiddenWords } from './hidden-words.ts';
export * from './id.ts';
export * from './interaction.ts';
export * from './items.ts';
export * from './json.ts';
export { isDeeper, isTooDeep, storedDepth } from './json-depth.ts';
export * from './lifeline.ts';
export * from './limits.ts';
export { isPicture, judgeMediaType } from './media-type.ts';
export { findNearName, suggestName } from './near-name.ts';
export * from './notifier.ts';
export * from './open-size.ts';
export { checkOutcome } from './outcome.ts';
export * from './outside.ts';
export * from './permission-mode.ts';
export * from './plugin.ts';
export * from './plugin-state.ts';
export * from './prompt-life.ts';
export * from './quorum.ts';
export * from './quota.ts';
export * from './reach.ts';
export { parseRequest, type RequestIssue, readRequest, secretFields, typedValues } from './read-request.ts';
export { followReference } from './reference.ts';
export { type ResultMedia, splitMedia } from './result-media.ts';
export * from './riskiest.ts';
export * from './role.ts';
export * from './rule.ts';
export { type Property, propertiesOf, withoutNull } from './schema-property.ts';
export * from './session.ts';
export * from './session-store.ts';
export {
  describeAudience,
  describeCallback,
  describeClosing,
  describeQuorum,
  describeReasons,
  describeResponse,
  describeVotes,
  stopWords,
} from './settlement-words.ts';
export * from './shared-store.ts';
export * from './standard-schema.ts';
export { storable, toStorable } from './storable.ts';
export * from './store.ts';
export * from './token.ts';
export { TokenBucket } from './token-bucket.ts';
export * from './tool.ts';
export { readNumber } from './typed-number.ts';
export { describeUnknown, findUnknownMembers } from './unknown-members.ts';
export {
  maxViewLength,
  type ParleyView,
  pathOfView,
  readViewMessage,
  type ShownView,
  type View,
  type ViewContent,
  type ViewMessage,
  viewHeight,
} from './view.ts';
export { hasVisible, showHidden } from './visible-text.ts';
export * from './vote.ts';
export { whyOf, withdrawn } from './withdrawal.ts';
export { writeJson } from './write-json.ts';

import {
  type Annotation,
  type Answer,
  type Choice,
  describeResponse,
  describeValue,
  describeVotes,
  type Field,
  type FileReference,
  findButton,
  findRule,
  findTemplateNames,
  findVisibleFields,
  type InteractionId,
  type InteractionRequest,
  isEmptyValue,
  type Json,
  labelOf,
  listChoices,
  listFiles,
  type Payload,
  type Placed,
  readableSubject,
  type SessionId,
  showHidden,
} from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { renderFiles } from '../form/render-files.ts';
import { isSelf, mayBeHere, renderDevice, renderPerson, type Self } from '../ui/actor.ts';
import { renderCopy } from '../ui/copy.ts';
import { icons } from '../ui/icons.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { countComments } from './approval-draft.ts';
import type { Chain } from './chain.ts';
import { renderDiscussion } from './discuss.ts';
import { nameOfPart, showPart } from './edited-part.ts';
import { describeEnding, describeStep, fillTemplate } from './receipt-words.ts';
import { renderReviewed } from './reviewed.ts';
import { renderTeam } from './team.ts';
import './signed-receipt.ts';
import { headingOf } from './words.ts';

type Response = Placed<Payload<'interaction_response'>>;

/**
 * Renders an answered prompt as one line, with the details behind a click.
 * @param lost - what was answered or entered here but not used; empty if nothing was
 */
export function renderAnswered(
  chain: Chain,
  response: Response,
  lost: string,
  viewer: Self & { readonly sessionId: SessionId; readonly now: () => number },
): TemplateResult {
  const request = chain.current.request.payload;
  const { action, reason, annotations, files, late, editedArgs, ruleId } = response.payload;
  const isNo = action === 'deny' || action === 'cancel';
  const { summaryTemplate } = request.completedView ?? {};
  const template = isNo ? undefined : summaryTemplate; // the template describes the outcome of a positive answer
  const summary =
    template && fillTemplate(template, response.payload, (id, value) => describeField(request, id, value));
  const rule = findRule(request, ruleId);
  return html`<details class="receipt">
      <summary>
        <span class="mark ${isNo ? 'none' : ''}">${isNo ? icons.cross : icons.check}</span>
        <span class="words"><span class="answer">${renderAnswer(request, response.payload)}${rule ? html`: ${renderUntrusted(rule.label)}` : nothing}${editedArgs === undefined ? '' : ', edited'}${annotations ? `, ${countComments(annotations)}` : ''}${files ? `, ${countFiles(files)}` : ''}${response.payload.votes ? html`<span class="votes">, ${describeVotes(request, response.payload.votes)}</span>` : nothing}</span>
        <span class="question">
          ${renderUntrusted(summary ?? headingOf(request))}${reason && !summary ? html` — “${renderUntrusted(reason)}”` : nothing}
        </span>
        <span class="who">${describeWho(response.payload, viewer, template)}</span>
        ${late ? html`<span class="late">· late</span>` : nothing}</span>
        <time datetime=${response.timestamp}>${formatTime(response.timestamp)}</time>
        <span class="chevron">${icons.chevron}</span>
      </summary>
      <div class="inside">
        ${summary ? html`<p class="untrusted">${headingOf(request)}</p>` : nothing} ${renderValues(request, response.payload, viewer.sessionId)} ${annotations ? renderRemarks(annotations) : nothing} ${renderAttached(response.payload, viewer.sessionId)}
        ${renderReviewed(request, true)} ${renderTeam(chain.current, viewer.principal)} ${renderGrant(request, response.payload)} ${renderSteps(chain)} ${renderDiscussion(chain, viewer)} ${renderSigned(viewer.sessionId, request)}
      </div>
    </details>
    ${renderLost(lost, html`${describeWinner(response.payload, viewer)} answered first: ${renderUntrusted(endSentence(shorten(describeAnswer(request, response.payload))))}`)}`;
}

function renderRemarks(annotations: readonly Annotation[]) {
  void import('./remarks.ts').catch(() => undefined); // most answers have none, and their number is shown anyway
  return html`<parley-remarks .annotations=${annotations}></parley-remarks>`;
}

/** Renders the answer: by its value, if that is single and short. */
function renderAnswer(request: InteractionRequest, answer: Answer) {
  const button = findButton(request, answer.button);
  if (button) return html`<strong>${renderUntrusted(button.label)}</strong>`;
  const words = describeResponse(request, answer);
  const count = describeValues(request, answer).length;
  const value = count === 1 ? describeAnswer(request, answer) : '';
  return value && value.length <= 60
    ? html`<span class="visually-hidden">${words}: </span><strong>${renderUntrusted(value)}</strong>`
    : html`<strong>${words}${count > 1 ? ` ${count} answers` : nothing}</strong>`;
}

const describeValues = (request: InteractionRequest, answer: Answer) =>
  findAnswers(request, answer).map((field) => describeValue(field, answer.input?.[field.id]));

/** Describes an answer as plain text: by its values, if it has any. */
export function describeAnswer(request: InteractionRequest, answer: Answer): string {
  const button = findButton(request, answer.button);
  const values = describeValues(request, answer).join(', ');
  if (button) return [button.label, values].filter(Boolean).join(': ');
  return values || describeResponse(request, answer);
}

/** How many characters of an answer fit into a sentence. */
const mostWords = 120;

function shorten(text: string): string {
  const characters = [...text.slice(0, 2 * mostWords)];
  return text.length <= mostWords ? text : `${characters.slice(0, mostWords).join('').trimEnd()} …`;
}

const endSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Renders an answer that was given or begun here and came too late, so that it can still be read and copied (INT5). */
function renderLost(text: string, why: TemplateResult) {
  if (text === '') return nothing;
  return html`<p class="lost" role="status">
    <span>${why} Yours (${renderUntrusted(shorten(text))}) was not used</span>${renderCopy('Copy your answer', () => text)}
  </p>`;
}

function describeWinner({ by, grantId }: Payload<'interaction_response'>, self: Self) {
  return grantId === undefined ? (renderPerson(by, self) ?? 'You, elsewhere,') : 'A stored approval';
}

/** Refers to a grant by its id, or by the prompt whose answer gave it. */
export type GrantLink = { readonly id: string } | { readonly givenBy: InteractionId };

/** Renders a button that shows the grant that this answer gave, or the grant that it came from. */
function renderGrant(request: InteractionRequest, response: Payload<'interaction_response'>) {
  const { approvalScope = 'once', grantId } = response;
  const rule = findRule(request, response.ruleId);
  const isKept = rule ? !rule.keptByCaller : request.grantKey !== undefined;
  const isGiven = isKept && response.action === 'approve' && approvalScope !== 'once';
  if (!isGiven && grantId === undefined) return nothing;
  const detail: GrantLink = grantId === undefined ? { givenBy: request.interactionId } : { id: grantId };
  const show = ({ target }: Event) =>
    target?.dispatchEvent(new CustomEvent('parley-permissions', { detail, bubbles: true, composed: true }));
  return html`<button @click=${show}>${isGiven ? 'What this allows' : 'What allowed this'}</button>`;
}

/**
 * Renders a prompt that closed without an answer, and why.
 * @param lost - as in `renderAnswered`
 */
export function renderClosed(
  chain: Chain,
  closed: Placed<Payload<'interaction_closed'>>,
  lost: string,
  viewer: Self & { readonly sessionId: SessionId; readonly now: () => number },
): TemplateResult {
  const request = chain.current.request.payload;
  const { note } = closed.payload;
  return html`<details class="receipt">
      <summary>
        <span class="mark none">${icons.cross}</span>
        <span class="words"><span class="answer"><strong>${describeEnding(closed.payload)}</strong>${note === undefined ? nothing : html`: “${renderUntrusted(note)}”`}</span>
        <span class="question">${renderUntrusted(headingOf(request))}</span></span>
        <time datetime=${closed.timestamp}>${formatTime(closed.timestamp)}</time>
        <span class="chevron">${icons.chevron}</span>
      </summary>
      <div class="inside">${renderUnanswered(request)} ${renderSteps(chain)} ${renderDiscussion(chain, viewer)} ${renderSigned(viewer.sessionId, request)}</div>
    </details>
    ${renderLost(lost, html`It closed before you answered.`)}`;
}

/** Renders what was asked about, and every field with its options, of a prompt that nobody answered. */
function renderUnanswered(request: InteractionRequest) {
  const { title, prompt, inputSchema } = request;
  const text = readableSubject(request)?.text ?? request.url;
  const fields = inputSchema ? findVisibleFields(inputSchema, {}) : [];
  return html`<p class="untrusted">${headingOf(request)}</p>
    ${title && prompt ? html`<p class="untrusted">${showHidden(prompt)}</p>` : nothing}
    ${text === undefined ? nothing : html`<p class="prompt untrusted">${showHidden(text)}</p>`}
    ${
      fields.length === 0
        ? nothing
        : html`<dl>
            ${fields.map(
              (field) =>
                html`<dt class="untrusted">${showHidden(labelOf(field))}</dt>
                  ${renderOptions(field)}`,
            )}
          </dl>`
    }`;
}

/** Renders the earlier attempts, one line each (INT8). */
export function renderSteps({ steps, current }: Chain): TemplateResult | typeof nothing {
  if (steps.length === 0) return nothing;
  const all = [...steps, current];
  return html`<ol class="steps" aria-label="Earlier attempts">
    ${steps.map((step, n) => {
      const why = all[n + 1]?.request.payload.error;
      return html`<li>${describeStep(step)}${why ? html` — ${renderUntrusted(why)}` : nothing}</li>`;
    })}
  </ol>`;
}

/** Describes who answered: the person first, then the device (RPL3), unless the summary has named both. */
function describeWho({ by, grantId }: Payload<'interaction_response'>, self: Self, summaryTemplate = '') {
  if (grantId !== undefined) return 'by a stored approval';
  if (isSelf(by, self)) return 'by you';
  const isNamed = findTemplateNames(summaryTemplate).includes('by');
  const person = isNamed ? undefined : renderPerson(by, self);
  const device = isNamed ? undefined : renderDevice(by);
  const elsewhere = mayBeHere(by, self) ? 'another device or in another tab' : 'another device';
  return html`${person && html`<span class="person">by ${person}</span>`}<span class="where">${person && ' · '}Answered on ${elsewhere}${device && html`<span class="device"> (${device})</span>`}</span>`;
}

function findAnswers(request: InteractionRequest, { input = {} }: Answer) {
  const isShown = request.completedView?.showInputs ?? true;
  const fields = request.inputSchema && isShown ? findVisibleFields(request.inputSchema, input) : [];
  return fields.filter((field) => !isEmptyValue(input[field.id]));
}

function renderValues(request: InteractionRequest, response: Payload<'interaction_response'>, sessionId: SessionId) {
  const files = pathOfFiles(sessionId, request.interactionId);
  const { input = {}, editedArgs } = response;
  const filled = findAnswers(request, response);
  const text = readableSubject(request)?.text ?? (editedArgs === undefined ? request.url : undefined);
  return html`${text === undefined ? nothing : html`<p class="prompt untrusted">${showHidden(text)}</p>`}
  ${
    editedArgs === undefined
      ? nothing
      : html`<p>Allowed with the edited ${nameOfPart(request)}:</p>
          <p class="prompt untrusted">${showHidden(showPart(request, editedArgs))}</p>`
  }
  ${
    filled.length === 0
      ? nothing
      : html`<dl>
          ${filled.map(
            (field) =>
              html`<dt class="untrusted">${showHidden(labelOf(field))}</dt>
                ${renderValue(field, input[field.id], `${files}/${field.id}`)}`,
          )}
        </dl>`
  }`;
}

function renderOptions(field: Field) {
  const options = 'options' in field ? (field.options ?? []) : [];
  return options.length === 0
    ? html`<dd>Not answered</dd>`
    : html`<dd><ul class="choices">${options.map(({ label }) => renderChoice({ label, isChosen: false }))}</ul></dd>`;
}

/** Renders a choice with all its options: those not chosen are part of what the answer means (RPL3). */
function renderValue(field: Field, value: Json | undefined, path: string) {
  if (field.type === 'file') return html`<dd>${renderFiles(listFiles(value), path)}</dd>`;
  const choices = listChoices(field, value);
  return choices.length === 0
    ? html`<dd class="untrusted">${showHidden(describeValue(field, value))}</dd>`
    : html`<dd><ul class="choices">${choices.map(renderChoice)}</ul></dd>`;
}

/** Renders the files attached to an answer (REV6). */
function renderAttached({ files = [], interactionId }: Payload<'interaction_response'>, sessionId: string) {
  return files.length === 0 ? nothing : renderFiles(files, pathOfFiles(sessionId, interactionId));
}

const pathOf = (sessionId: SessionId, interactionId: InteractionId): string =>
  `/api/sessions/${sessionId}/interactions/${interactionId}`;

const pathOfFiles = (sessionId: SessionId, interactionId: InteractionId): string =>
  `${pathOf(sessionId, interactionId)}/files`;

const renderSigned = (sessionId: SessionId, { interactionId }: InteractionRequest) =>
  html`<parley-signed-receipt path=${pathOf(sessionId, interactionId)}></parley-signed-receipt>`;

const countFiles = ({ length }: readonly FileReference[]): string => (length === 1 ? '1 file' : `${length} files`);

function renderChoice({ label, isChosen }: Choice): TemplateResult {
  return html`<li class=${isChosen ? 'chosen' : ''}>${isChosen ? icons.check : nothing}<span class="visually-hidden">${isChosen ? 'Chosen: ' : 'Not chosen: '}</span><span class="untrusted">${showHidden(label)}</span></li>`;
}

function describeField(request: InteractionRequest, id: string, value: Parameters<typeof describeValue>[1]): string {
  const field = request.inputSchema?.fields.find((candidate) => candidate.id === id);
  return field ? describeValue(field, value) : '';
}

import {
  type Choice,
  describeResponse,
  describeValue,
  type Field,
  findRule,
  findVisibleFields,
  type InteractionId,
  type InteractionRequest,
  isEmptyValue,
  type Json,
  labelOf,
  listChoices,
  type Payload,
  type Placed,
  type SessionId,
  showHidden,
} from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { isSelf, mayBeHere, renderDevice, renderPerson, type Self } from '../page/who.ts';
import { icons } from '../ui/icons.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { Chain } from './chain.ts';
import { nameOfPart, showPart } from './edited-part.ts';
import { describeEnding, describeStep, fillTemplate, headingOf } from './words.ts';

type Response = Placed<Payload<'interaction_response'>>;

/** An answered prompt in one line, with the details behind a click. */
export function renderAnswered(
  chain: Chain,
  response: Response,
  viewer: Self & { readonly sessionId: SessionId },
): TemplateResult {
  const request = chain.current.request?.payload as InteractionRequest;
  const { action, reason, late, editedArgs, ruleId } = response.payload;
  const isNo = action === 'deny' || action === 'cancel';
  const { summaryTemplate } = request.completedView ?? {};
  const summary =
    summaryTemplate && !isNo // it says what came of a yes
      ? fillTemplate(summaryTemplate, response.payload, (id, value) => describeField(request, id, value))
      : undefined;
  const rule = findRule(request, ruleId);
  const [only, ...others] = findAnswers(request, response.payload);
  const value = only && others.length === 0 ? describeValue(only, response.payload.input?.[only.id]) : '';
  return html`<details class="receipt">
    <summary>
      <span class="mark ${isNo ? 'none' : ''}">${isNo ? icons.cross : icons.check}</span>
      <span class="words">
        <strong>${describeResponse(request, response.payload)}</strong>${rule ? html`: ${renderUntrusted(rule.label)}` : nothing}${editedArgs === undefined ? '' : ', edited'} ·
        ${
          summary
            ? renderUntrusted(summary)
            : html`${renderUntrusted(headingOf(request))}${value && value.length <= 60 ? html` — ${renderUntrusted(value)}` : nothing}`
        }
        ${reason && !summary ? html` — “${renderUntrusted(reason)}”` : nothing}
        <span class="subtle">
          · ${describeWho(response.payload, viewer)}${late ? ' · late' : ''} ·
          <time datetime=${response.timestamp}>${formatTime(response.timestamp)}</time>
        </span>
      </span>
    </summary>
    <div class="inside">
      ${summary ? html`<p class="untrusted">${headingOf(request)}</p>` : nothing} ${renderValues(request, response.payload)}
      ${renderGrant(request, response.payload)} ${renderSteps(chain)}
    </div>
  </details>`;
}

/** A grant by its id, or by the prompt whose answer gave it. */
export type GrantLink = { readonly id: string } | { readonly givenBy: InteractionId };

/** A button that shows the grant this answer gave, or the one it came from. */
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

/** A prompt that closed without an answer, and why. */
export function renderClosed(chain: Chain, closed: Placed<Payload<'interaction_closed'>>): TemplateResult {
  const request = chain.current.request?.payload as InteractionRequest;
  return html`<div class="receipt">
    <div class="line" tabindex="-1">
      <span class="mark none">${icons.cross}</span>
      <span class="words">
        <strong>${describeEnding(closed.payload)}</strong> · ${renderUntrusted(headingOf(request))}
        <span class="subtle">· <time datetime=${closed.timestamp}>${formatTime(closed.timestamp)}</time></span>
      </span>
    </div>
    ${chain.steps.length > 0 ? html`<div class="inside">${renderSteps(chain)}</div>` : nothing}
  </div>`;
}

/** The earlier attempts, one line each (INT8). */
export function renderSteps({ steps, current }: Chain): TemplateResult | typeof nothing {
  if (steps.length === 0) return nothing;
  const all = [...steps, current];
  return html`<ol class="steps" aria-label="Earlier attempts">
    ${steps.map((step, n) => {
      const why = all[n + 1]?.request?.payload.error;
      return html`<li>${describeStep(step)}${why ? html` — ${renderUntrusted(why)}` : nothing}</li>`;
    })}
  </ol>`;
}

/** The person first, then the device (RPL3). */
function describeWho({ by, grantId }: Payload<'interaction_response'>, self: Self) {
  if (grantId !== undefined) return 'by a stored approval';
  if (isSelf(by, self)) return 'by you';
  const person = renderPerson(by, self);
  const device = renderDevice(by);
  const elsewhere = mayBeHere(by, self) ? 'another device or in another tab' : 'another device';
  return html`${person && html`by ${person} · `}Answered on ${elsewhere}${device && html` (${device})`}`;
}

function findAnswers(request: InteractionRequest, { input = {} }: Payload<'interaction_response'>) {
  const isShown = request.completedView?.showInputs ?? true;
  const fields = request.inputSchema && isShown ? findVisibleFields(request.inputSchema, input) : [];
  return fields.filter((field) => !isEmptyValue(input[field.id]));
}

function renderValues(request: InteractionRequest, response: Payload<'interaction_response'>) {
  const { input = {}, editedArgs } = response;
  const filled = findAnswers(request, response);
  const text = request.subject?.text ?? (editedArgs === undefined ? request.url : undefined);
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
                ${renderValue(field, input[field.id])}`,
          )}
        </dl>`
  }`;
}

/** A choice with all that was offered: what was not chosen says what the answer means (RPL3). */
function renderValue(field: Field, value: Json | undefined) {
  const choices = listChoices(field, value);
  return choices.length === 0
    ? html`<dd class="untrusted">${showHidden(describeValue(field, value))}</dd>`
    : html`<dd><ul class="choices">${choices.map(renderChoice)}</ul></dd>`;
}

function renderChoice({ label, isChosen }: Choice): TemplateResult {
  return html`<li class=${isChosen ? 'chosen' : ''}>${isChosen ? icons.check : nothing}<span class="visually-hidden">${isChosen ? 'Chosen: ' : 'Not chosen: '}</span><span class="untrusted">${showHidden(label)}</span></li>`;
}

function describeField(request: InteractionRequest, id: string, value: Parameters<typeof describeValue>[1]): string {
  const field = request.inputSchema?.fields.find((candidate) => candidate.id === id);
  return field ? describeValue(field, value) : '';
}

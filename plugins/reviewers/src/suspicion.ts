import { type ReviewRequest, showHidden } from '@parleyhq/core';
import { readingsOf } from './readings.ts';
import { textsOf } from './texts.ts';

/** Longest request that a model is asked about, in characters: in longer ones it overlooks things. */
const longestRequest = 16_000;

/** Words by which a text speaks to whoever reviews it rather than of its subject. Compared with letters alone, in lower case. */
const addressing = [
  /(ignore|disregard|forget|override|overrule|bypass|skip|supersede)(all|any|every|the|your|my|these|those|each|previous|prior|above|earlier|preceding|instruction|rule|policy|polic|review|prompt|guideline|check)/,
  /(previous|prior|above|earlier|preceding|new|updated|system|developer|hidden)(instruction|prompt|message|directive|guideline)/,
  /instructions?(to|for)(the|you|any|all|a)?(review|model|assistant|ai|llm|claude|judge)/,
  /verdict|reviewer|asksaperson|askaperson|humanreview|humanapproval/,
  /(asan|youare|dear|hello|hey|attention|notefor|noteto|messageto|messagefor)(an|a|the|any|all)?(ai|llm|model|assistant|languagemodel|reviewbot|claude|gpt|judge)/,
  /(pre)?(approved|authorised|authorized|cleared|whitelisted|allowlisted)by/,
  /(already|been|is|are|was|were)(pre)?(approved|reviewed|authorised|authorized)/,
  /(mark|treat|consider|classify|rate|label|report)(it|this|that|these|thecall|thiscall|everything)?as(safe|low|harmless|benign|pass|approved|trusted|ok)/,
  /(please|must|should|always|just|now|will|shall|can|may|to)(pass|approve|allow|accept)(this|it|the|call|all|every|me|any)/,
  /(return|respond|reply|answer|output|print|say|write|emit)(with|only|just|exactly)?(a|the)?(pass|approve|json|yes|safe)/,
  /(system|security|safety|admin|administrator|operator|developer)(note|notice|override|message|says|mode)/,
  /jailbreak|promptinjection|donotask|dontask|noneedtoask|neednotask|withoutasking/,
  /endof(call|data|input|request|document|arguments|untrusted)/,
  /operator(of|adds|says|allows|allowed|wants|trusts)|(followsisfrom|linesare(over|done|past))/,
  /(call|operation|request|command|action|this|which|it)(is|was)[a-z]{0,12}(safe|harmless|benign|trusted|routine)/,
  /already(said|agreed|confirmed|allowed|passed|consented|granted|permitted|checked|tested)/,
  /(previous|earlier|similar|same|other|identical)(calls?|requests?)[a-z]{0,24}(pass|allow|approv|grant|accept)/,
  /(ignorez|ignoriere|ignorar|ignora|oubliez|olvida|vergiss|dimentica)(les|los|las|le|toutes|todas|tutte|alle|die)/,
  /(anweisung|instruktion|instruccion|instruco|istruzion|instrukcj|instructies|talimat|consignes|directives)/,
];

/** “Instruction”, “command” or “approve” in languages that are not written in Latin letters. */
const foreign =
  /инструкц|указани|одобри|інструкц|指令|指示|提示词|批准|通过此|명령|지시|승인|निर्देश|अनुमोदन|تعليمات|موافقة|הוראות|אשר את|คำสั่ง|οδηγίες|εντολές/i;

/** Marks by which models' messages, tools and turns are delimited, and members of the call itself. */
const delimiters =
  /<[|｜][^|｜]{0,40}[|｜]>|\[\/?(inst|sys|system|assistant|user|available_tools|tool_calls|tool_results)\]|<<\/?sys>>|<\/?\s*(system|assistant|user|human|instructions?|rules|call|data|tool_use|tool_result|function_calls?|invoke|parameter|antml|start_of_turn|end_of_turn)\b|(^|\n)\s*(human|assistant|system|user|model)\s*:|(^|\n)\s*#{1,6}\s*(system|instructions?|response|rules|input)\b|tool_use|"(role|toolName|readOnly|risk)"\s*:/i;

/** Two equal lines of random characters, as around the call. */
const frame = /(?:^|\n)([0-9a-f-]{32,})\n(?:[\s\S]*\n)?\1(?:\n|$)/i;

/** Text that a reader cannot check: long runs without a break, as in encoded data. */
const opaque = /[A-Za-z0-9+/=_%\\-]{200,}/;

/** Letters that look like those of another script in one word, as in "pаss" with a Cyrillic letter. */
const mixed =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]\p{Script=Latin}/u;

/** Characters without a meaning that all share: for private use, not assigned, or half of one. */
const unknown = /\p{Co}|\p{Cn}|\p{Cs}/u;

/** Letters of sound scripts and of alphabets that look like Latin ones, letters in boxes, and words spelt in flags. */
const disguised = /[\u0250-\u02ff\u1400-\u167f\u1d00-\u1dbf\ua4d0-\ua4ff\u{1f100}-\u{1f1e5}]|\p{RI}{3,}/u;

const speaking = 'It has text that reads like instructions to whoever reviews it.';

/**
 * Returns why a model should not judge a call, as a sentence for people; undefined if nothing was found. Looks for text that
 * speaks to a reviewer or that a reader cannot check. It finds clumsy attempts only, so what it lets through proves nothing: it
 * is the second line, behind the limit of `findProse`.
 */
export function findSuspicion(request: ReviewRequest): string | undefined {
  if (JSON.stringify(request).length > longestRequest) return 'The call is too long to be reviewed by a model.';
  const { sessionId: _, toolCallId: __, declaredNames: ___, ...shown } = request;
  const { names, values, all } = textsOf(shown);
  for (const text of all) {
    if (showHidden(text) !== text.replace(/\r\n/g, '\n') || unknown.test(text)) return 'It has hidden characters.';
    if (mixed.test(text)) return 'It has words of letters from different alphabets.';
    if (disguised.test(text)) return 'It has characters that imitate letters.';
    if (opaque.test(text)) return 'It has a long run of characters that cannot be read.';
    if (delimiters.test(text) || frame.test(text)) return speaking;
  }
  const inParts = [names, values, all].map((parts) => parts.join('')); // a sentence may be cut anywhere
  return [...all, ...inParts].some(speaks) ? speaking : undefined;
}

/** Whether a text speaks to a reviewer, also if it is spelt otherwise, with marks, or with gaps between its letters. */
function speaks(text: string): boolean {
  if (foreign.test(text)) return true;
  const forms = readingsOf(text).map((reading) => reading.replace(/[^a-z]/g, ''));
  return forms.some((form) => addressing.some((pattern) => pattern.test(form)));
}

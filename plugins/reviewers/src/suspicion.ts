import { isRecord, type ReviewRequest, showHidden } from '@parleyhq/core';

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
];

/** Marks by which models' messages, tools and turns are delimited. */
const delimiters =
  /<\|[^|]{0,40}\|>|\[\/?(inst|sys|system|assistant|user)\]|<<\/?sys>>|<\/?\s*(system|assistant|user|human|instructions?|call|data|tool_use|tool_result|function_calls?|antml)\b|(^|\n)\s*(human|assistant|system|user)\s*:|tool_use|"role"\s*:/i;

/** Text that a reader cannot check: long runs without a break, as in encoded data. */
const opaque = /[A-Za-z0-9+/=_%\\-]{200,}/;

/** Letters that look like those of another script in one word, as in "pаss" with a Cyrillic letter. */
const mixed =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]\p{Script=Latin}/u;

const digits: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
};

/**
 * Returns why a model should not judge a call, as a sentence for people; undefined if nothing was found. Looks for text that
 * speaks to a reviewer or that a reader cannot check. It finds clumsy attempts only, so what it lets through proves nothing.
 */
export function findSuspicion(request: ReviewRequest): string | undefined {
  if (JSON.stringify(request).length > longestRequest) return 'The call is too long to be reviewed by a model.';
  const { sessionId: _, toolCallId: __, ...shown } = request;
  for (const text of textsOf(shown)) {
    if (showHidden(text) !== text.replace(/\r\n/g, '\n')) return 'It has hidden characters.';
    if (mixed.test(text)) return 'It has words of letters from different alphabets.';
    if (opaque.test(text)) return 'It has a long run of characters that cannot be read.';
    if (delimiters.test(text) || speaks(text)) return 'It has text that reads like instructions to whoever reviews it.';
  }
  return undefined;
}

/** Whether a text speaks to a reviewer, also if it is spelt in digits, with marks, or with gaps between its letters. */
function speaks(text: string): boolean {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const spelt = plain.replace(/[0134357@$!|]/g, (character) => digits[character] ?? character);
  const forms = [plain, spelt, decodeEscapes(plain)].map((form) => form.replace(/[^a-z]/g, ''));
  return forms.some((form) => addressing.some((pattern) => pattern.test(form)));
}

/** Replaces escapes of characters, as in `\u0069` or `%69`. */
function decodeEscapes(text: string): string {
  return text
    .replace(/(?:\\u\{?|\\x|%|&#x)([0-9a-f]{2,6})[};]?/g, (whole, code) => fromCode(Number.parseInt(code, 16), whole))
    .replace(/&#(\d{2,7});?/g, (whole, code) => fromCode(Number(code), whole));
}

function fromCode(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

/** Returns every string in a value, the names of members included. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return [...value.flatMap(textsOf), value.filter((each) => typeof each === 'string').join('')];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}

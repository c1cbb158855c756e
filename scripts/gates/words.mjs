import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest, listFiles } from './files.mjs';

/** Phrases that have to be read twice, and what to write instead. Each pattern is tried on whole comments, strings and paragraphs. */
const RULES = [
  [
    /\b(?:to|for|from|with|by|of|as|than|but) who\b/i,
    'name the people: "whoever …", "people who …", "screen-reader users"',
  ],
  [
    /(?:^|[.;:] )Whose? (?!(?:a|the|\w+s) )\w+(?: \w+){0,4} (?:is|are|was|were)\b/,
    'begin with a noun: "the actor that …"',
  ],
  [/(?:^|[.!?] )(?:Whose|Whom)\b/, 'begin with a noun: "the principal that …"'],
  [/(?:^|[.!?:|] )Of (?!course)/, 'put the subject first'],
  [
    /(?<!\bthere )\b(?:is|are|was|were) (?:none\b|no (?!longer|more\b|other|need|way|one\b|different|better|worse|business))/i,
    '"is not a …", "if there is none"',
  ],
  [/\bbeside\b/i, '"besides", "next to", "apart from", "in addition to"'],
  [/\bso many\b(?!.{0,60}\bthat\b)/i, '"this many", or the number'],
  [
    /@throws[^@]*? where\b|\b(?:undefined|absent|null|empty|false|true) where\b|\bwhere (?:there|nothing|nobody|none|it|that|they|this) (?:is|are|was|were|has|have|does|do)\b/i,
    '"if"',
  ],
  [/\b(?:by|of) now\b/i, '"now", "already", "currently"'],
  [/, for (?:it|they|there|nobody|nothing|he|she|its|their|that is|this is|these are|those are)\b/, '"because"'],
  [
    /(?<!\bto )\b(?:told|tell|tells|telling)\b(?!.{0,40}\bapart\b)|\b(?:hear|hears|heard|hearing)\b/i,
    '"notify", "report", "publish", "show", "receive"',
  ],
  [
    /\b(?:its|their|his|whose) time (?:is|was|has) (?:over|up|passed)\b|\b(?:is|are|was|were) gone\b|\bwhat is to be\b/i,
    '"expired", "was deleted", "should be"',
  ],
];

/** Keeps comments, messages and documents in plain English: no phrase of RULES. Code in quotes is left out. */
export async function checkWords(root) {
  const { default: ts } = await import('typescript'); // loaded on use: a fresh clone imports the gates before it installs
  return listFiles(root)
    .filter((file) => /\.(?:ts|mjs|md)$/.test(file) && !file.endsWith('.d.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const passages = file.endsWith('.md') ? findParagraphs(text) : findPassages(ts, text, !isTest(file));
      return passages.flatMap(({ line, words }) => judge(words).map((fault) => `${file}:${line} ${fault}`));
    });
}

function judge(words) {
  const plain = words
    .replace(/`[^`]*`|"[^"]*"|https?:\S+/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
  return RULES.flatMap(([pattern, instead]) => {
    const found = pattern.exec(plain)?.[0];
    return found ? [`"${found.trim()}": ${instead}`] : [];
  });
}

/** The comments and, in product code, the texts. Line comments below one another are one passage. */
function findPassages(ts, text, hasTexts) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest);
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const comments = new Map();
  const texts = [];
  const visit = (node) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ])
      comments.set(range.pos, range);
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (hasTexts && isText(ts, node)) texts.push({ line: lineAt(node.getStart(source)), words: node.text });
    for (const child of node.getChildren(source)) if (isCode(ts, child)) visit(child);
  };
  visit(source);
  return [
    ...joinLines(
      ts,
      [...comments.values()].sort((a, b) => a.pos - b.pos),
      text,
      lineAt,
    ),
    ...texts,
  ];
}

const isCode = (ts, { kind }) => kind < ts.SyntaxKind.FirstJSDocNode || kind > ts.SyntaxKind.LastJSDocNode;

const isText = (ts, { kind }) =>
  kind === ts.SyntaxKind.StringLiteral ||
  (kind >= ts.SyntaxKind.FirstTemplateToken && kind <= ts.SyntaxKind.LastTemplateToken);

function joinLines(ts, comments, text, lineAt) {
  const passages = [];
  for (const { pos, end, kind } of comments) {
    const line = lineAt(pos);
    const last = passages.at(-1);
    if (kind === ts.SyntaxKind.MultiLineCommentTrivia) {
      passages.push({ line, words: text.slice(pos, end).replace(/^\/\*+|\*+\/$|^\s*\*/gm, '') });
    } else if (last?.next === line && /^\s*$/.test(text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos))) {
      last.words += ` ${text.slice(pos + 2, end)}`;
      last.next = line + 1;
    } else {
      passages.push({ line, next: line + 1, words: text.slice(pos + 2, end) });
    }
  }
  return passages;
}

/** The paragraphs, list items and table rows outside of code. */
function findParagraphs(text) {
  const passages = [];
  let isCode = false;
  let isOpen = false;
  text.split('\n').forEach((words, index) => {
    const isFence = /^\s*(```|~~~)/.test(words);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || words.trim() === '') {
      isOpen = false;
    } else if (isOpen && !/^\s*([-*|#>]|\d+\.)/.test(words)) {
      passages.at(-1).words += ` ${words}`;
    } else {
      passages.push({ line: index + 1, words: words.replace(/^[\s*#>-]+/, '') });
      isOpen = true;
    }
  });
  return passages;
}

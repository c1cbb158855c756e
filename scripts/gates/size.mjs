import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest, listSources } from './files.mjs';

const LIMIT = 400;
const MEDIAN = 110;

/** Keeps files small: none above 400 lines, and the median of the product's sources at most 110. */
export function checkSize(root) {
  const sized = listSources(root).map((file) => ({ file, lines: countLines(join(root, file)) }));
  const problems = sized
    .filter(({ lines }) => lines > LIMIT)
    .map(({ file, lines }) => `${file} has ${lines} lines, above ${LIMIT}`);
  const lines = sized.filter(({ file }) => !isTest(file)).map((source) => source.lines);
  const median = lines.sort((a, b) => a - b)[lines.length >> 1] ?? 0;
  if (median > MEDIAN) problems.push(`the median source file has ${median} lines, above ${MEDIAN}`);
  return problems;
}

const countLines = (file) => readFileSync(file, 'utf8').split('\n').length - 1;

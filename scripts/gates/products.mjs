import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest, listSources } from './files.mjs';

/** The packages that know no product of others: what is special about one belongs in a plugin. */
const NEUTRAL = /^packages\/(core|runtime|server)\/src\//;
const PRODUCT = /claude|codex|anthropic|openai|chatgpt|copilot|gemini|slack|telegram|discord|whatsapp/i;

/** Refuses products' names in the neutral packages: in identifiers, texts, comments and file names. */
export function checkProducts(root) {
  return listSources(root)
    .filter((file) => NEUTRAL.test(file) && !isTest(file))
    .flatMap((file) =>
      [file, ...readFileSync(join(root, file), 'utf8').split('\n')].flatMap((line, index) => {
        const name = PRODUCT.exec(line)?.[0];
        return name ? [`${file}:${index} names ${name}: describe its behaviour, or move this into a plugin`] : [];
      }),
    );
}

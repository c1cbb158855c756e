import { listAll } from '../stage.ts';
import { describe } from './elements.ts';

/** Returns problems for screen-reader users: hints that repeat the name, and more than one main heading. */
export function findNameFaults(): readonly string[] {
  const all = listAll(document.body).filter((element) => element.checkVisibility());
  const repeats = all.filter(
    ({ title, ariaLabel, ariaDescription }) => ariaLabel && title.startsWith(ariaLabel) && ariaDescription === null,
  );
  const headings = all.filter(({ localName }) => localName === 'h1');
  return [
    ...repeats.map((element) => `says its name twice: ${describe(element)}`),
    ...(headings.length > 1 ? [`${headings.length} main headings: ${headings.map(describe).join(', ')}`] : []),
  ];
}

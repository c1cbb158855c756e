import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take long. On a fresh clone vitest runs the largest files first, and would run these alone at the end. */
const longest = [
  ...['gallery.long', 'random.long', 'twice.long', 'no-tab.long', 'one-tab.long', 'people.long', 'two-tabs.long'],
  ...['chaos.long', 'takeover.long', 'silence.long', 'releases.long', 'mutants.long', 'gallery', 'two-tabs', 'store'],
].map((name) => `/${name}.test.ts`);

/** Runs the slowest files first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((ending) => moduleId.endsWith(ending));

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long though they are small. On a fresh clone the largest files come first, and these would be alone at the end. */
const longest = ['gallery.long', 'no-tab.long', 'one-tab.long', 'two-tabs.long', 'gallery', 'two-tabs', 'store'].map(
  (name) => `/${name}.test.ts`,
);

/** Begins with the files that take longest, so that none is left for the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((ending) => moduleId.endsWith(ending));

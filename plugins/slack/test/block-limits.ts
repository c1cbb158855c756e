/** In characters, by the path of a text in a block. */
const longest: readonly (readonly [RegExp, number])[] = [
  [/^header\.text\.text$/, 150],
  [/^section\.text\.text$/, 3000],
  [/^context\.elements\.text$/, 2000],
  [/^actions\.elements\.(text\.text|options\.text\.text|placeholder\.text)$/, 75],
  [/^actions\.elements\.value$/, 2000],
  [/^actions\.elements\.options\.value$/, 150],
  [/^input\.(label|hint)\.text$/, 2000],
  [/^input\.element\.options\.text\.text$/, 75],
  [/^input\.element\.placeholder\.text$/, 150],
  [/block_id$|action_id$/, 255],
];

/** Returns the error with which Slack refuses blocks that break its limits; undefined if it takes them. */
export function findFault(blocks: readonly unknown[]): string | undefined {
  const ids = new Set<string>();
  const isTooLong = (value: unknown, path: string): boolean => {
    if (Array.isArray(value)) return value.some((each) => isTooLong(each, path));
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).some(([key, each]) => isTooLong(each, `${path}.${key}`));
    if (typeof value !== 'string') return false;
    const [, limit = 20_000] = longest.find(([pattern]) => pattern.test(path)) ?? [];
    return value.length > limit || (value.length === 0 && path.endsWith('text'));
  };
  for (const block of blocks as { type: string; block_id?: string; elements?: { action_id?: string }[] }[]) {
    const { type, block_id: id, elements = [] } = block;
    const actions = elements.map(({ action_id: action }) => action).filter((action) => action !== undefined);
    const isTwice = (id !== undefined && ids.has(id)) || new Set(actions).size < actions.length;
    if (isTwice || elements.length > 25) return 'invalid_blocks';
    if (Object.entries(block).some(([key, value]) => isTooLong(value, `${type}.${key}`))) return 'invalid_blocks';
    if (id !== undefined) ids.add(id);
  }
  return blocks.length > 50 ? 'invalid_blocks' : undefined;
}

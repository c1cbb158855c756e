/** Returns what axe finds, with all rules or only with these. */
export async function findViolations(rules?: readonly string[]): Promise<readonly string[]> {
  const { default: axe } = await import('axe-core');
  const { violations } = await axe.run(document, {
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: [...rules] } }),
  });
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' | ')}`,
  );
}

/** What statistics are grouped by (LESS1). In a file of its own, which the help of a command loads without any schema. */
export const statisticsGroupings = ['tool', 'rule', 'session', 'person', 'day'] as const;
export type StatisticsGrouping = (typeof statisticsGroupings)[number];

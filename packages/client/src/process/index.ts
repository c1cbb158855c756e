export type { PersonTab, ToolOutcome } from './person-tab.ts';
export { type ParleyProcess, type StartParleyOptions, startParley } from './start-parley.ts';

export {
  joinTab,
  openTab,
  type PersonOptions,
  type PersonTab,
  type Reachable,
  type SessionOptions,
  type ToolOutcome,
} from './person-tab.ts';
export { type CommandOutput, runParley } from './run-parley.ts';
export { type ParleyProcess, type StartParleyOptions, startParley } from './start-parley.ts';

export { type AnthropicOptions, anthropicAgent, defaultAnthropicModel } from './agent.ts';

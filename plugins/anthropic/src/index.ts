export { type AnthropicOptions, anthropicAgent } from './agent.ts';
export { defaultAnthropicModel } from './request.ts';

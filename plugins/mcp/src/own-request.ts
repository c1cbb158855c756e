/** The protocol's requests for resources and prompts, which Parley offers as tools. */
export type OwnRequest = 'resources/list' | 'resources/read' | 'prompts/list' | 'prompts/get';

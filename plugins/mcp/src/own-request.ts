/** What servers have beside tools, as the protocol names the requests for it. */
export type OwnRequest = 'resources/list' | 'resources/read' | 'prompts/list' | 'prompts/get';

/** Where the proxy asks people. */
export const doorPath = '/hooks/acp';

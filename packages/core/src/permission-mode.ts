/** Which calls of a session are asked about (APR3). Apart from the frames, so that the page can have it without their schemas. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];

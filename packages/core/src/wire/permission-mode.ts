/** Which calls of a session need approval (APR3). Kept apart from the frames, so that the page need not load their schemas. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];

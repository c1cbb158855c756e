/** Every route of the server, with a request that reaches it; `http.test.ts` checks that it is complete. */
export const routes = {
  'GET /healthz': '/healthz',
  'GET /readyz': '/readyz',
  'GET /metrics': '/metrics',
  'POST /api/login': '/api/login',
  'POST /api/login/again': '/api/login/again',
  'POST /api/logout': '/api/logout',
  'GET /api/openapi.json': '/api/openapi.json',
  'GET /api/identity': '/api/identity',
  'GET /api/login/ways': '/api/login/ways',
  'GET /api/login/oidc': '/api/login/oidc',
  'GET /api/login/oidc/return': '/api/login/oidc/return',
  'GET /api/logins': '/api/logins',
  'POST /api/logins/end': '/api/logins/end',
  'GET /api/push/key': '/api/push/key',
  'GET /api/push/subscriptions': '/api/push/subscriptions',
  'POST /api/push/subscriptions': '/api/push/subscriptions',
  'DELETE /api/push/subscriptions': '/api/push/subscriptions',
  'POST /api/push/test': '/api/push/test',
  'POST /api/push/answer': '/api/push/answer',
  'POST /api/notifiers/test': '/api/notifiers/test',
  'POST /api/once': '/api/once',
  'POST /api/once/answer': '/api/once/answer',
  'GET /api/deliveries': '/api/deliveries',
  'GET /api/stream': '/api/stream?protocol=0',
  'POST /api/frames': '/api/frames',
  'POST /api/calls': '/api/calls',
  'GET /api/calls/:toolCallId': '/api/calls/some-call',
  'DELETE /api/calls/:toolCallId': '/api/calls/some-call',
  'POST /api/calls/:toolCallId/comments': '/api/calls/some-call/comments',
  'GET /api/calls/:toolCallId/files/:ticket': '/api/calls/some-call/files/some-ticket',
  'POST /callbacks/:token': '/callbacks/some-token',
  'POST /api/return': '/api/return',
  'GET /api/interactions': '/api/interactions',
  'GET /api/stats': '/api/stats',
  'POST /api/sessions/:sessionId/interactions/:interactionId/response':
    '/api/sessions/some-session/interactions/some-prompt.1/response',
  'GET /api/sessions/:sessionId/interactions/:interactionId/receipt':
    '/api/sessions/some-session/interactions/some-prompt.1/receipt',
  'GET /api/receipt-key': '/api/receipt-key',
  'POST /api/sessions/:sessionId/interactions/:interactionId/files':
    '/api/sessions/some-session/interactions/some-prompt.1/files',
  'GET /api/sessions/:sessionId/interactions/:interactionId/files/:index':
    '/api/sessions/some-session/interactions/some-prompt.1/files/0',
  'POST /api/sessions/:sessionId/interactions/:interactionId/files/:field':
    '/api/sessions/some-session/interactions/some-prompt.1/files/cv',
  'GET /api/sessions/:sessionId/interactions/:interactionId/files/:field/:index':
    '/api/sessions/some-session/interactions/some-prompt.1/files/cv/0',
  'POST /api/sessions/:sessionId/files': '/api/sessions/some-session/files',
  'GET /api/sessions/:sessionId/messages/:messageId/files/:index':
    '/api/sessions/some-session/messages/some-message/files/0',
  'GET /api/sessions/:sessionId/uploads/:fileId': '/api/sessions/some-session/uploads/some-file',
  'PATCH /api/sessions/:sessionId/uploads/:fileId': '/api/sessions/some-session/uploads/some-file',
  'DELETE /api/sessions/:sessionId/uploads/:fileId': '/api/sessions/some-session/uploads/some-file',
  'GET /mcp': '/mcp',
  'POST /mcp': '/mcp',
  'DELETE /mcp': '/mcp',
  'GET /views/:plugin/:name': '/views/forms/colour',
  'GET /assets/*': '/assets/index.js',
  'GET /': '/',
  'GET /s/*': '/s/some-session',
  'GET /inbox': '/inbox',
  'GET /once': '/once',
  'GET /return': '/return?code=some-code&state=some-state',
  'GET /*': '/icon.svg',
} as const satisfies Record<string, string>;

/** The requests as method and path. */
export const requests: readonly (readonly [method: string, path: string])[] = Object.entries(routes).map(
  ([route, path]) => [route.slice(0, route.indexOf(' ')), path],
);

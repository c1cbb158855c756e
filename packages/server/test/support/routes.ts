/** Every route of the server, with a request that reaches it; `http.test.ts` holds it complete. */
export const routes = {
  'GET /healthz': '/healthz',
  'GET /readyz': '/readyz',
  'GET /metrics': '/metrics',
  'POST /api/login': '/api/login',
  'POST /api/login/again': '/api/login/again',
  'POST /api/logout': '/api/logout',
  'GET /api/openapi.json': '/api/openapi.json',
  'GET /api/identity': '/api/identity',
  'GET /api/logins': '/api/logins',
  'POST /api/logins/end': '/api/logins/end',
  'GET /api/push/key': '/api/push/key',
  'GET /api/push/subscriptions': '/api/push/subscriptions',
  'POST /api/push/subscriptions': '/api/push/subscriptions',
  'DELETE /api/push/subscriptions': '/api/push/subscriptions',
  'POST /api/push/test': '/api/push/test',
  'POST /api/push/answer': '/api/push/answer',
  'POST /api/notifiers/test': '/api/notifiers/test',
  'GET /api/deliveries': '/api/deliveries',
  'GET /api/stream': '/api/stream?protocol=0',
  'POST /api/frames': '/api/frames',
  'POST /api/calls': '/api/calls',
  'GET /api/calls/:toolCallId': '/api/calls/some-call',
  'DELETE /api/calls/:toolCallId': '/api/calls/some-call',
  'GET /api/interactions': '/api/interactions',
  'POST /api/sessions/:sessionId/interactions/:interactionId/response':
    '/api/sessions/some-session/interactions/some-prompt.1/response',
  'POST /hooks/claude': '/hooks/claude',
  'GET /mcp': '/mcp',
  'POST /mcp': '/mcp',
  'DELETE /mcp': '/mcp',
  'GET /assets/*': '/assets/index.js',
  'GET /': '/',
  'GET /s/*': '/s/some-session',
  'GET /inbox': '/inbox',
  'GET /*': '/icon.svg',
} as const satisfies Record<string, string>;

/** As method and path. */
export const requests: readonly (readonly [method: string, path: string])[] = Object.entries(routes).map(
  ([route, path]) => [route.slice(0, route.indexOf(' ')), path],
);

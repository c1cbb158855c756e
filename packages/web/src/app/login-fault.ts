const words: Readonly<Record<string, string>> = {
  failed: 'The log-in at the provider did not work. Try again, or ask whoever runs the server: its log says why.',
  busy: 'Too many people came back from the provider at once. Try again in a moment.',
  no_role: 'You have no role on this server. Ask whoever runs it to give you one.',
  other_person: 'At the provider you are somebody else than here. Log in there as yourself.',
};

/** Removes from the address why the provider's log-in failed, and returns it for people (SIGN1). */
export function takeLoginFault(): string | undefined {
  const fault = new URLSearchParams(location.hash.slice(1)).get('login') ?? '';
  history.replaceState(null, '', location.pathname + location.search);
  return Object.hasOwn(words, fault) ? words[fault] : undefined;
}

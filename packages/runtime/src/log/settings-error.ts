/** An invalid setting; the message names it and says why. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

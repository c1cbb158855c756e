/** A setting that does not fit, whoever made it: the message names it and says why. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

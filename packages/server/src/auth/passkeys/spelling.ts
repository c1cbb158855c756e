/** Whether a text in base64url is the only spelling of its bytes. */
export function isCanonical(base64url: string): boolean {
  return Buffer.from(base64url, 'base64url').toString('base64url') === base64url;
}

/** Whether a signature by an elliptic curve is in DER, in which two numbers have only one spelling. */
export function isDer(signature: Buffer): boolean {
  const isShort = signature.length < 130;
  const start = isShort ? 2 : 3;
  const content = signature.subarray(start);
  const head = [0x30, ...(isShort ? [] : [0x81]), content.length];
  const end = 2 + (content[1] ?? 0);
  return (
    head.every((byte, at) => signature[at] === byte) &&
    isNumber(content.subarray(0, end)) &&
    isNumber(content.subarray(end))
  );
}

/** Whether bytes are a positive number in DER: with its sign, and without needless zeros. */
function isNumber(bytes: Buffer): boolean {
  const [type, size, first = 0, second = 0] = bytes;
  const isMinimal = first > 0 ? first < 0x80 : second >= 0x80;
  return type === 2 && size === bytes.length - 2 && isMinimal;
}

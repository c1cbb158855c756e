/** Unmasked WebSocket text frames, concatenated in one buffer. */
export function joinFrames(texts: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (const text of texts) {
    const body = Buffer.from(text);
    parts.push(header(body.length), body);
  }
  return Buffer.concat(parts);
}

function header(length: number): Buffer {
  if (length < 126) return Buffer.from([0x81, length]);
  if (length < 65_536) return Buffer.from([0x81, 126, length >> 8, length & 255]);
  const long = Buffer.alloc(10);
  long[0] = 0x81;
  long[1] = 127;
  long.writeBigUInt64BE(BigInt(length), 2);
  return long;
}

const textFrame = 0x81; // final fragment, text

/** Encodes texts as a server's WebSocket frames (RFC 6455, §5.2): unmasked, in one buffer. */
export function encodeFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const total = lengths.reduce((sum, length) => sum + headerLength(length) + length, 0);
  const buffer = Buffer.allocUnsafe(total);
  let offset = 0;
  for (const [index, text] of texts.entries()) {
    offset = writeHeader(buffer, offset, lengths[index] as number);
    offset += buffer.write(text, offset);
  }
  return buffer;
}

function headerLength(payload: number): number {
  if (payload < 126) return 2;
  return payload < 65_536 ? 4 : 10;
}

function writeHeader(buffer: Buffer, offset: number, payload: number): number {
  buffer[offset] = textFrame;
  if (payload < 126) {
    buffer[offset + 1] = payload;
  } else if (payload < 65_536) {
    buffer[offset + 1] = 126;
    buffer.writeUInt16BE(payload, offset + 2);
  } else {
    buffer[offset + 1] = 127;
    buffer.writeBigUInt64BE(BigInt(payload), offset + 2);
  }
  return offset + headerLength(payload);
}

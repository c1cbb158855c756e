// Preloaded into a command: throws an error when the command begins to wait for a person.
const { write } = process.stderr;
process.stderr.write = function writeAndThrow(text, ...rest) {
  if (String(text).startsWith('Waiting'))
    setImmediate(() => {
      throw new TypeError('a fault of the command');
    });
  return write.call(this, text, ...rest);
};

// Preloaded into a command: a fault of its own, once it waits for a person.
const { write } = process.stderr;
process.stderr.write = function writeAndThrow(text, ...rest) {
  if (String(text).startsWith('Waiting'))
    setImmediate(() => {
      throw new TypeError('a fault of the command');
    });
  return write.call(this, text, ...rest);
};

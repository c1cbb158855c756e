#!/usr/bin/env node
// A promise alone does not keep the process alive: without this it could end in the middle, silently and with another exit code.
const held = setInterval(() => undefined, 2 ** 30);
try {
  const { runProgram } = await import('./program.ts');
  await runProgram();
} catch (error) {
  const { crash } = await import('./io/output.ts');
  crash(error);
} finally {
  clearInterval(held);
}

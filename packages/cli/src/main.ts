#!/usr/bin/env node
try {
  const { runProgram } = await import('./program.ts');
  await runProgram();
} catch (error) {
  const { crash } = await import('./io/output.ts');
  crash(error);
}

#!/usr/bin/env node
try {
  const { makeProgram } = await import('./program.ts');
  await makeProgram().parseAsync();
} catch (error) {
  const { crash } = await import('./io/output.ts');
  crash(error);
}

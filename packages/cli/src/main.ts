#!/usr/bin/env node
import { makeProgram } from './program.ts';

await makeProgram().parseAsync();

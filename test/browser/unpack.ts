import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import chromium from '@sparticuz/chromium';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the browser's program. */
    browser: string;
  }
}

/** The package unpacks the browser into the temporary directory. This one outlives the run, so that the next need not unpack it again. */
const UNPACKED = resolve('node_modules/.cache/browser');

/** Unpacks the browser before the first worker starts it: two workers would overwrite the file that the other runs. */
export async function setup(project: TestProject): Promise<void> {
  const { TMPDIR } = process.env;
  mkdirSync(UNPACKED, { recursive: true });
  process.env.TMPDIR = UNPACKED;
  project.provide('browser', await chromium.executablePath());
  process.env.TMPDIR = TMPDIR;
}

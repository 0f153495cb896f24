import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../measure.ts';
import { scalePage } from '../scale/page.ts';

/** Writes docs/scale.md and prints it. */
export async function rows(): Promise<Row[]> {
  const page = await scalePage();
  writeFileSync(join(import.meta.dirname, '../../docs/scale.md'), page);
  console.log(page);
  return [];
}

import type { Reporter } from '../console.ts';
import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import { isObject, type Json } from '../template/intrinsics.ts';

/**
 * Migrates the items of an earlier version of the platform before the first request, with the function that a schedule invokes on
 * AWS. Reports items that could not be changed. The schedule retries them.
 */
export async function migrateItems({
  functions,
  lambda,
  reporter,
}: {
  functions: readonly FunctionSpec[];
  lambda: Pick<Lambda, 'invoke'>;
  reporter: Pick<Reporter, 'line'>;
}): Promise<void> {
  const { name } = functionNamed(functions, 'schedule/migrate');
  for (;;) {
    const report = await lambda.invoke(name, {});
    const runs = isObject(report) && Array.isArray(report.runs) ? report.runs.filter(isObject) : [];
    const isRunning = (run: { [field: string]: Json | undefined }) => run.status === 'RUNNING';
    if (runs.some(isRunning)) continue;
    for (const run of runs)
      if (run.status === 'FAILED') reporter.line(`  migration ${run.name}: ${run.failed} items could not be changed`);
    return;
  }
}

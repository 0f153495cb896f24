import { type Run, startRun } from '../../test/support/platform.ts';

/** Starts the local run as `npm start` does, in memory; what tests alone need, such as enforced IAM policies, is off. */
export const startMeasuredRun = (settings: Record<string, string> = {}): Promise<Run> =>
  startRun({ DATA_DIR: ':memory:', LOCAL_IAM: 'off', ...settings });

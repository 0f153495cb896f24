import { type Run, startRun } from '../../test/support/platform.ts';

/** The defaults of `npm start` in place of what runs for tests have. */
const DEFAULTS = { LOCAL_IAM: 'off', LOCAL_IDLE_SECONDS: '30', LOCAL_BUILD_NICENESS: '10' };

/** Starts the local run as `npm start` does, in memory, with its defaults. */
export const startMeasuredRun = (settings: Record<string, string> = {}): Promise<Run> =>
  startRun({ DATA_DIR: ':memory:', ...DEFAULTS, ...settings });

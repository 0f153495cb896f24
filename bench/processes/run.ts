import { type Run, startRun } from '../../test/support/platform.ts';

/** The defaults of `npm start`, which runs for tests change. */
const DEFAULTS = { LOCAL_IAM: 'off', LOCAL_IDLE_SECONDS: '30', LOCAL_BUILD_NICENESS: '10' };

/** Starts the local run in memory, with the defaults of `npm start`. */
export const startMeasuredRun = (settings: Record<string, string> = {}): Promise<Run> =>
  startRun({ DATA_DIR: ':memory:', ...DEFAULTS, ...settings });

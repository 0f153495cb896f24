import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { openRemote as open } from '../../providers/git/remote.ts';
import { config } from '../config.ts';

/** Opens repositories of Git hosts. */
export const openRemote = open({
  allowLocal: config.ALLOW_LOCAL_REPOSITORIES === 'true',
  localUrl: config.LOCAL_REPOSITORIES_URL,
  deadlineMs: TIMEOUTS_S.repository * 1000,
});

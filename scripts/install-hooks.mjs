// Run by `npm ci` (prepare): makes Git run the hooks in scripts/hooks. Has no effect in CI, without Git, in a copy that is not a
// repository, or if other hooks are configured. Never fails an installation.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HOOKS = 'scripts/hooks';
const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the trimmed output of a git command in the project; undefined if it fails. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const top = process.env.CI ? undefined : git('rev-parse', '--show-toplevel');
// A copy inside of another repository must not change that repository's hooks.
if (top && realpathSync(top) === realpathSync(root)) {
  const current = git('config', '--get', 'core.hooksPath');
  if (current === undefined) git('config', 'core.hooksPath', HOOKS);
  else if (current !== HOOKS) console.warn(`core.hooksPath is ${current}: the commit-message hook was not installed`);
}

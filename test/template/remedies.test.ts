import { afterEach, expect, test } from 'vitest';
import { explainCloneFailure } from '../../builder/clone/clone.ts';
import { findStart } from '../../builder/detect/start.ts';
import { application, removeApplications } from '../../builder/detect/test-applications.ts';
import { remedyFor } from '../../dashboard/deployments/build-steps.ts';
import { explainReleaseFailure } from '../../domain/deployments/release-failure.ts';

// The dashboard finds the screen that fixes a failed deployment by words of its reason. These are the platform's reasons as it creates
// them, so that a new wording without these words fails here. builder/failures.test.ts has those of the builder's commands.

afterEach(removeApplications);

/** Returns the screen for the reason of a failure, which is its first line. */
const screenFor = (reason = ''): string | undefined => remedyFor(reason.split('\n')[0] ?? '')?.path;

const SSH = 'git@git.example.com:team/app.git';
const HTTPS = 'https://git.example.com/team/app.git';

test.each<[printed: string, repoUrl: string, screen: string | undefined]>([
  ['git@git.example.com: Permission denied (publickey).', SSH, '/git'],
  ['ERROR: Repository not found.', SSH, '/git'],
  ["fatal: could not read Username for 'https://git.example.com'", HTTPS, '/git'],
  ['remote: Not found', HTTPS, '/settings'],
  ['fatal: Could not resolve host: git.example.com', HTTPS, '/settings'],
  ['ssh: Could not resolve hostname git.example.com', SSH, '/settings'],
  ['ssh: connect to host git.example.com port 22: Connection refused', SSH, '/settings'],
  ['WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!', SSH, undefined],
  ['Host key verification failed.', SSH, undefined],
])('a clone that prints “%s” from %s is fixed at %s', (printed, repoUrl, screen) => {
  expect(screenFor(explainCloneFailure(printed, repoUrl))).toBe(screen);
});

const TIMED_OUT = 'Error: Task timed out after 30.00 seconds';
const EXITED = 'Error: Runtime exited with error: exit status 1';
const ENDED = 'Error: Runtime exited without providing a reason';
const KILLED = 'Error: Runtime exited with error: signal: killed';

test.each<[error: string, line: string, screen: string]>([
  [EXITED, 'Error: Environment variable DATABASE_URL is missing.', '/env'],
  [EXITED, 'Error: SESSION_SECRET must be set', '/env'],
  [EXITED, 'Error: supabaseUrl is required.', '/env'],
  [EXITED, 'Error: connect ECONNREFUSED 127.0.0.1:27017', '/env'],
  [EXITED, 'Error: getaddrinfo EAI_AGAIN mongo', '/env'],
  [TIMED_OUT, '', '/settings'],
  [TIMED_OUT, 'Listening on port 3000', '/logs'],
  [EXITED, 'Error: x', '/logs'],
  [EXITED, '', '/logs'],
  [ENDED, '', '/logs'],
  [KILLED, '', '/logs'],
  ['Error: Connection reset', '', '/logs'],
])('a release that ends with “%s” after “%s” is fixed at %s', (error, line, screen) => {
  expect(screenFor(explainReleaseFailure({ status: undefined, error }, '/', [line]))).toBe(screen);
});

test.each<[object | undefined, string[], Parameters<typeof application>[2]]>([
  [{ main: 'app.js' }, ['app.js'], { startFile: 'index.js' }],
  [{ scripts: { start: 'node dist/a.js' } }, [], {}],
  [{ scripts: { start: 'vite' } }, [], {}],
  [undefined, ['tool.ts'], {}],
  [{}, ['other/index.html'], { startCommand: 'npx serve -s web' }],
])('an application without its start is fixed in its settings: %j, %j, %j', (manifest, files, settings) => {
  let reason = '';
  try {
    findStart(application(manifest, files, settings));
  } catch (error) {
    reason = error instanceof Error ? error.message : '';
  }
  expect([reason, screenFor(reason)]).toEqual([expect.stringContaining('found after the build'), '/settings']);
});

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../test/support/archive.ts';
import { build, closeTestHarness, openTestHarness, repository, root } from './test-harness.ts';

/**
 * The whole builder as in a build container: root in a file system of its own (an overlay over this machine's, which
 * therefore stays as it is), with CodeBuild's files and the user that the builder creates. Repositories of the tests belong to another
 * user than the one that fetches them as submodules.
 */
const layer = mkdtempSync(join(tmpdir(), 'container-'));
const SETUP = `set -e
layer=$1; shift
mount -t tmpfs none $layer; mkdir $layer/up $layer/work $layer/root
mount -t overlay overlay -o lowerdir=/,upperdir=$layer/up,workdir=$layer/work $layer/root
for each in /proc /dev ${tmpdir()} ${process.cwd()}; do mkdir -p $layer/root$each; mount --rbind $each $layer/root$each; done
mkdir -p $layer/root/codebuild/output/tmp
echo 'export JOB_URL=http://127.0.0.1/STOLEN' > $layer/root/codebuild/output/tmp/env.sh
git config --file $layer/root/etc/gitconfig safe.directory '*'
exec chroot $layer/root "$@"`;
const launcher = ['unshare', '-m', '--propagation', 'private', 'sh', '-c', SETUP, 'sh', layer];
const [command = '', ...args] = [...launcher, 'true'];
const isPossible = process.getuid?.() === 0 && spawnSync(command, args).status === 0;
// Hooks do not run if every test is skipped.
if (!isPossible) rmSync(layer, { recursive: true });

beforeAll(openTestHarness);
afterAll(async () => {
  await closeTestHarness();
  rmSync(layer, { recursive: true, force: true });
});

const SEARCH = `const { readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const read = (path) => { try { return readFileSync(path, 'latin1'); } catch { return ''; } };
const found = { uid: process.getuid(), others: 0, secrets: 0, file: read('/codebuild/output/tmp/env.sh') };
const search = () => {
  const pids = readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
  for (const pid of pids) {
    const text = read('/proc/' + pid + '/environ');
    if (/JOB_URL|AWS_CONTAINER_CREDENTIALS|platform-secret/.test(text)) found.secrets++;
  }
  found.others = pids.filter((pid) => read('/proc/' + pid + '/cmdline').includes('left-behind')).length;
};`;

test.runIf(isPossible)(
  'in a container, commands run as the build user, find no secret, and leave no process behind',
  async () => {
    chmodSync(root, 0o755);
    const TMPDIR = join(root, 'shared');
    mkdirSync(TMPDIR);
    chmodSync(TMPDIR, 0o1777);
    const repoUrl = repository({
      'server.js': '1',
      'leave.cjs': `${SEARCH} for (;;) { search(); writeFileSync('loot', JSON.stringify(found)); renameSync('loot', 'loot.json'); }`,
      'look.cjs': `${SEARCH} for (let round = 0; round < 100; round++) search();
        console.log('found ' + JSON.stringify([found, JSON.parse(read('loot.json'))]));`,
    });
    // In a session of its own, and with the time to look around.
    const leave = 'setsid node leave.cjs left-behind & until test -s loot.json; do sleep 0.1; done; sleep 1';
    const { code, log, artifact } = await build(
      { repoUrl, installCommand: leave, buildCommand: 'node look.cjs' },
      { BUILD_USER: '', TMPDIR },
      { launcher },
    );
    expect(code, log).toBe(0);
    const [now, left] = JSON.parse(/^found (.*)$/m.exec(log)?.[1] ?? '[]');
    expect(now).toEqual({ uid: expect.any(Number), others: 0, secrets: 0, file: '' });
    expect(now.uid).toBeGreaterThanOrEqual(1000);
    expect(left).toMatchObject({ uid: now.uid, secrets: 0, file: '' });
    expect(left.others, 'the process that was left behind').toBeGreaterThan(0);
    expect([...(await entriesOf(artifact)).keys()]).toContain('server.js');
  },
);

test.runIf(isPossible)('in a container, submodules are fetched as the build user', async () => {
  const TMPDIR = join(root, 'submodules');
  mkdirSync(TMPDIR);
  chmodSync(TMPDIR, 0o1777);
  const library = repository({ 'library.js': '1' });
  const repoUrl = repository({ 'server.js': '1' }, {}, { 'vendor/library': library });
  const buildCommand = 'stat -c "owner %U" vendor/library/library.js .git/modules/vendor/library/config';
  const { code, log } = await build({ repoUrl, buildCommand }, { BUILD_USER: '', TMPDIR }, { launcher });
  expect(code, log).toBe(0);
  expect(log.match(/^owner .*$/gm)).toEqual(['owner build', 'owner build']);
});

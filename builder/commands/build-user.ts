import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A user that runs commands instead of the builder's own user. */
export interface User {
  uid: number;
  gid: number;
  home: string;
}

const NAME = 'build';
/** Exists only in CodeBuild's containers. On a permanent machine the builder creates no user. */
const CONTAINER = '/codebuild';

/**
 * Creates an unprivileged user for the application's commands, so that they cannot read the builder's credentials from
 * its process. Returns undefined unless the builder runs as root in a CodeBuild container.
 */
export function createBuildUser(): User | undefined {
  if (process.getuid?.() !== 0 || !existsSync(CONTAINER)) return undefined;
  const readId = (...args: string[]) => Number(execFileSync('id', [...args, NAME], { encoding: 'utf8' }));
  try {
    execFileSync('useradd', ['--create-home', NAME], { stdio: 'ignore' });
    return { uid: readId('-u'), gid: readId('-g'), home: `/home/${NAME}` };
  } catch (error) {
    console.error('no build user could be created: commands run as root', error);
    return undefined;
  }
}

/** Changes the owner of a directory and its contents to the user. */
export function chownTo(directory: string, user: User): void {
  execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, directory]);
}

/** Kills all processes of the user, so that nothing changes the files that the builder reads afterwards. */
export function endProcesses({ uid, gid }: User): void {
  // Runs as the user, who may signal only their own processes; `-1` addresses all of them.
  spawnSync('sh', ['-c', 'kill -KILL -1'], { uid, gid });
}

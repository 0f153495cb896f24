import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A user that commands run as instead of our own. */
export interface User {
  uid: number;
  gid: number;
  home: string;
}

const NAME = 'build';
/** Only CodeBuild's containers have it: nobody wants a new user on a machine that stays. */
const CONTAINER = '/codebuild';

/**
 * A user without rights for the commands of others, so that they cannot read our credentials out of our process. There
 * is one where we are root in a container of CodeBuild.
 */
export function createBuildUser(): User | undefined {
  if (process.getuid?.() !== 0 || !existsSync(CONTAINER)) return undefined;
  const ask = (...args: string[]) => Number(execFileSync('id', [...args, NAME], { encoding: 'utf8' }));
  try {
    execFileSync('useradd', ['--create-home', NAME], { stdio: 'ignore' });
    return { uid: ask('-u'), gid: ask('-g'), home: `/home/${NAME}` };
  } catch (error) {
    console.error('commands run as root: no user could be made', error);
    return undefined;
  }
}

/** Gives a directory and all in it to the user. */
export function handOver(directory: string, user: User): void {
  execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, directory]);
}

/** Ends all that a command of the user's left running: nothing changes what we read after it. */
export function endProcesses({ uid, gid }: User): void {
  // As the user itself, who may signal its own processes alone; `-1` is all of them.
  spawnSync('sh', ['-c', 'kill -KILL -1'], { uid, gid });
}

import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTool, startChild, type User } from './child.ts';

const NAME = 'build';
/** Exists only in CodeBuild's containers. */
const CONTAINER = '/codebuild';
/** The file in which CodeBuild keeps the build's environment for its shell. */
export const ENVIRONMENT_FILE = '/codebuild/output/tmp/env.sh';
/** Maximum time in milliseconds for ending all processes of a user. */
const END_TIMEOUT_MS = 10_000;
const RETRY_MS = 10;

/**
 * Creates an unprivileged user for the application's commands. Throws unless the builder runs as root in a CodeBuild
 * container and the user exists afterwards: without the user there is no build.
 */
export function createBuildUser(): User {
  if (process.getuid?.() !== 0 || !existsSync(CONTAINER)) {
    throw new Error('No build user can be created outside a build container');
  }
  runTool('useradd', ['--create-home', NAME]);
  const [uid, gid] = ['-u', '-g'].map((option) => Number(runTool('id', [option, NAME])));
  if (!uid || !gid) throw new Error(`The user ${NAME} is not an unprivileged user`);
  if (existsSync(ENVIRONMENT_FILE)) chmodSync(ENVIRONMENT_FILE, 0o600);
  return { uid, gid, home: `/home/${NAME}` };
}

/** Changes the owner of a directory and its contents to the user. Links are not followed. */
export function chownTo(directory: string, user: User): void {
  runTool('chown', ['-R', '-h', `${user.uid}:${user.gid}`, directory]);
}

/** Returns the ids of a user's running processes: those with the user's id as real, effective or saved id. */
export function processesOf({ uid }: Pick<User, 'uid'>): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      let status: string;
      try {
        status = readFileSync(`/proc/${pid}/status`, 'utf8');
      } catch {
        return false; // It has ended.
      }
      // Zombies and dead processes run nothing; their parent only has not reaped them yet.
      if (/^State:\s+[ZX]/m.test(status)) return false;
      const ids = /^Uid:\s+(.+)$/m.exec(status)?.[1]?.split(/\s+/).map(Number) ?? [];
      return ids.includes(uid);
    });
}

/**
 * Kills all processes of the user, so that none changes the files that the builder reads afterwards or observes the next command. Throws if
 * any process is still running after ten seconds.
 */
export async function endProcesses(user: User): Promise<void> {
  if (user.uid === 0) throw new Error('The build user must not be root');
  for (const deadline = Date.now() + END_TIMEOUT_MS; ; ) {
    // Runs as the user, so that `-1` kills exactly the user's processes, atomically. The user's processes can see and kill this process, so
    // it has an empty environment, and its success is verified below.
    const killer = startChild('/bin/sh', ['-c', 'kill -KILL -1'], { environment: {}, stdio: 'ignore', user });
    await new Promise((resolve) => killer.once('close', resolve).once('error', resolve));
    for (const pid of processesOf(user)) killProcess(pid);
    const remaining = processesOf(user).length;
    if (remaining === 0) return;
    if (Date.now() > deadline) throw new Error(`${remaining} processes of the build user could not be ended`);
    await sleep(RETRY_MS);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

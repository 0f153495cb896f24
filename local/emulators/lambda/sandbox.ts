import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { trustedCertificates } from '../trusted-certificates.ts';
import { discard, workspace } from '../workspace.ts';

/** A process's view of the disk: as on Lambda, the code is read-only and `/tmp` is private. */
export interface Sandbox {
  command: string;
  args: string[];
  /** Variables that name the temporary directory. */
  environment: Record<string, string>;
  /** Removes the temporary directory. */
  remove(): void;
}

const SHARED_TMP = '/tmp';

/**
 * Mounts the code read-only and the process's temporary directory as `/tmp`, then starts the handler. Code below `/tmp` is
 * mounted at the same path inside the new `/tmp`. Only this process and its children see the mounts.
 * Arguments: the code; its path inside the new `/tmp`, or empty; the temporary directory; the handler.
 */
const MOUNT = [
  'code=$1 at=$1 own=$3',
  'if [ -n "$2" ]; then at=$3/$2; mkdir -p "$at"; fi',
  // Each started program costs milliseconds: one `mount` makes both system calls that a read-only bind mount needs.
  'mount -o bind,ro "$code" "$at" && mount --rbind "$own" /tmp || exit 126',
  'cd "$code" && handler=./$4 && set -- && . "$handler"',
].join('\n');

/** Returns the arguments of `unshare`. Root can mount without a user namespace. */
const namespaces = (): string[] => [
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  MOUNT,
  'sh',
];

const mountArguments = (code: string, temporary: string, handler: string): string[] => {
  const below = relative(SHARED_TMP, code);
  return [...namespaces(), code, below.startsWith('..') ? '' : below, temporary, handler];
};

/**
 * Opens the sandboxes of applications. If the machine does not permit mounts (macOS, most containers), a process only gets
 * its own temporary directory, by environment variables.
 * @param programs paths that applications need, such as Node's. A path below `/tmp` rules out mounts, which would hide it
 */
export function openSandboxes(dataDir: string, programs: readonly string[]) {
  const directory = workspace(dataDir, 'app-tmp');
  // Removes the directories of an earlier run that was killed.
  for (const name of readdirSync(directory)) void discard(join(directory, name));
  const createTemporary = (): string => mkdtempSync(join(directory, 'tmp-'));
  const areReachable = programs.every((path) => relative(SHARED_TMP, path).startsWith('..'));
  const canMount = areReachable && areMountsPermitted(createTemporary());

  return {
    /** True if the code is read-only and `/tmp` private. */
    canMount,
    /** Creates a sandbox, whose command starts a handler of the code. */
    create(code: string, handler: string): Sandbox {
      const temporary = createTemporary();
      const visibleAt = canMount ? SHARED_TMP : temporary;
      const certificates = trustedCertificates(dataDir);
      if (certificates) writeFileSync(join(temporary, CERTIFICATES), certificates);
      return {
        ...(canMount
          ? { command: 'unshare', args: mountArguments(code, temporary, handler) }
          : { command: 'sh', args: [handler] }),
        environment: {
          HOME: visibleAt,
          TMPDIR: visibleAt,
          ...(certificates ? { NODE_EXTRA_CA_CERTS: join(visibleAt, CERTIFICATES) } : {}),
        },
        remove: () => void discard(temporary),
      };
    },
  };
}

/** File of the certificates that applications trust in addition to Node's. */
const CERTIFICATES = '.certificates.pem';

/** Returns true if the machine permits the mounts. Runs a handler that tests their effect. */
function areMountsPermitted(directory: string): boolean {
  const [code, temporary] = ['code', 'own'].map((name) => join(directory, name));
  if (code === undefined || temporary === undefined) return false;
  mkdirSync(code);
  mkdirSync(temporary);
  writeFileSync(join(code, 'test.sh'), '! touch written 2>/dev/null && touch /tmp/written\n');
  const { status } = spawnSync('unshare', mountArguments(code, temporary, 'test.sh'), { stdio: 'ignore' });
  void discard(directory);
  return status === 0;
}

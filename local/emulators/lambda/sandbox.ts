import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { discard, workspace } from '../workspace.ts';

/** One process's view of the disk: its code is read-only and its `/tmp` its own, as on Lambda. */
export interface Sandbox {
  command: string;
  args: string[];
  /** Variables that name the temporary directory. */
  environment: Record<string, string>;
  /** Removes the temporary directory. */
  remove(): void;
}

const SHARED = '/tmp';

/**
 * Mounts the code read-only and the process's own directory as `/tmp`, then starts the handler. Code below `/tmp` is
 * mounted inside the new `/tmp` at the same path. Mounts are visible to this process and its children only.
 * Arguments: the code, its path inside the new `/tmp` or empty, the process's own directory, the handler.
 */
const MOUNT = [
  'code=$1 at=$1 own=$3',
  'if [ -n "$2" ]; then at=$3/$2; mkdir -p "$at"; fi',
  // Each program that starts costs milliseconds. `mount` makes the two calls itself that a bind mount takes to be read-only.
  'mount -o bind,ro "$code" "$at" && mount --rbind "$own" /tmp || exit 126',
  'cd "$code" && handler=./$4 && set -- && . "$handler"',
].join('\n');

/** Returns the arguments of `unshare`: root needs no user namespace for mounts of its own. */
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

const mountArguments = (code: string, own: string, handler: string): string[] => {
  const below = relative(SHARED, code);
  return [...namespaces(), code, below.startsWith('..') ? '' : below, own, handler];
};

/**
 * Prepares the sandboxes of applications. Where the machine permits no mounts (macOS, most containers), a process only gets
 * a temporary directory of its own, by its variables.
 * @param programs directories that applications need at their own paths, such as that of Node
 */
export function openSandboxes(dataDir: string, programs: readonly string[]) {
  const directory = workspace(dataDir, 'app-tmp');
  // Of processes of a run that was killed.
  for (const name of readdirSync(directory)) void discard(join(directory, name));
  const own = (): string => mkdtempSync(join(directory, 'tmp-'));
  const areReachable = programs.every((path) => relative(SHARED, path).startsWith('..'));
  const canMount = areReachable && isPermitted(own());

  return {
    /** True if the code is read-only and `/tmp` private. */
    canMount,
    /** Returns how to start a handler of a directory. */
    create(code: string, handler: string): Sandbox {
      const temporary = own();
      const at = canMount ? SHARED : temporary;
      const certificates = readCertificates(dataDir);
      if (certificates) writeFileSync(join(temporary, CERTIFICATES), certificates);
      return {
        ...(canMount
          ? { command: 'unshare', args: mountArguments(code, temporary, handler) }
          : { command: 'sh', args: [handler] }),
        environment: {
          HOME: at,
          TMPDIR: at,
          ...(certificates ? { NODE_EXTRA_CA_CERTS: join(at, CERTIFICATES) } : {}),
        },
        remove: () => void discard(temporary),
      };
    },
  };
}

/** The certificates that applications trust besides Node's own. */
const CERTIFICATES = '.certificates.pem';

/** Returns the certificate of the run's databases, after the ones that the machine trusts. */
function readCertificates(dataDir: string): string | undefined {
  const own = join(dataDir, 'databases', 'certificate.pem');
  if (!existsSync(own)) return undefined;
  const { NODE_EXTRA_CA_CERTS: machine } = process.env;
  return [machine, own].flatMap((file) => (file && existsSync(file) ? [readFileSync(file, 'utf8')] : [])).join('\n');
}

/** Tries the mounts once, with a handler that tests their effect. */
function isPermitted(directory: string): boolean {
  const [code, temporary] = ['code', 'own'].map((name) => join(directory, name));
  if (code === undefined || temporary === undefined) return false;
  mkdirSync(code);
  mkdirSync(temporary);
  writeFileSync(join(code, 'test.sh'), '! touch written 2>/dev/null && touch /tmp/written\n');
  const { status } = spawnSync('unshare', mountArguments(code, temporary, 'test.sh'), { stdio: 'ignore' });
  void discard(directory);
  return status === 0;
}

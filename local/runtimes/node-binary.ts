import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Major versions for applications, the most common first. */
const MAJORS = ['24', '22', '20'] as const;

const path = (major: string): string =>
  major === process.versions.node.split('.')[0]
    ? process.execPath
    : fileURLToPath(new URL(`../../node_modules/.node/${major}/bin/node`, import.meta.url));

/**
 * Returns the Node executable of a major version. The platform runs on 24; `installNodes` installs older ones. Throws if the version
 * is not installed.
 */
export function nodeBinary(major: string): string {
  const binary = path(major);
  if (!existsSync(binary))
    throw new Error(`Node ${major} is not installed. Run "npm run setup" to install it (expected at ${binary})`);
  return binary;
}

/** Returns the Node executables of all installed major versions, by version. */
export const nodeBinaries = (): Record<string, string> =>
  Object.fromEntries(MAJORS.map((major) => [major, path(major)] as const).filter(([, binary]) => existsSync(binary)));

const missing = (): readonly string[] => MAJORS.filter((major) => !existsSync(path(major)));

/** Returns true if all Node versions for applications are installed. */
export const areNodesInstalled = (): boolean => missing().length === 0;

/**
 * Installs the missing Node versions for applications from npm's registry, about 100 MB. The first build calls this function. Rejects
 * with the reason if the installation fails.
 */
export async function installNodes(): Promise<void> {
  const script = fileURLToPath(new URL('./install.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script, ...missing()]);
}

import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Command } from '../../cli/command.ts';
import { commands } from '../../cli/commands/commands.ts';
import { type ProcessEnvironment, run } from '../../cli/run.ts';

/** The folder in which command lines run, with their settings. Files that share a process use it one after the other. */
export const folder = join(tmpdir(), `cli-${process.pid}`);

/** Creates the folder for the tests of a file, and removes it after them. */
export function withFolder(): void {
  beforeAll(() => void mkdirSync(folder));
  afterAll(() => rmSync(folder, { recursive: true }));
}

const env = { XDG_CONFIG_HOME: join(folder, 'config'), HOSTING_API: 'https://api.example.com' };

/** Runs a command line in this process. */
export async function hosting(
  argv: string[],
  table: readonly Command[] = commands,
  signal = new AbortController().signal,
  more: Record<string, string> = {},
  terminal: Partial<ProcessEnvironment> = {},
) {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(table, argv, {
    cwd: folder,
    env: { ...env, ...more },
    stdin: process.stdin,
    stderr: process.stderr,
    signal,
    interrupt: () => undefined,
    isTerminal: false,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    ...terminal,
  });
  return { exitCode, stdout, stderr };
}

/** Runs a command line against a platform that answers as the listener does. */
export async function hostingAt(
  listener: RequestListener,
  argv: string[],
  {
    signal,
    env: more = {},
    ...terminal
  }: Partial<Omit<ProcessEnvironment, 'env'>> & { env?: Record<string, string> } = {},
) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const key = { HOSTING_KEY: 'sk_live_x', ...more };
    return await hosting([...argv, '--api', `http://127.0.0.1:${port}`], commands, signal, key, terminal);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

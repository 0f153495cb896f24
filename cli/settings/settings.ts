import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError, UsageError } from '../command.ts';

/** The stored settings of an installation. */
export interface Installation {
  secretKey?: string;
  /** The secret with which `webhooks listen` signs forwarded events. */
  webhookSecret?: string;
}

interface Stored {
  /** The installation of the last login. */
  api?: string;
  installations: Record<string, Installation>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the user's folder for settings. */
function folderOf(env: Environment): string {
  if (process.platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'hosting');
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'hosting');
}

const isLoopback = (host: string) =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host) || host.endsWith('.localhost');

/** Returns the normalized address of an installation. @throws UsageError for an address to which a key must not be sent */
export function parseApi(text: string): string {
  // `localhost:4000` would be a valid URL with the scheme `localhost`.
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`${text} is not an address such as https://api.example.com.`);
  const { protocol, hostname, origin, pathname, username } = new URL(text);
  if (username) throw new UsageError('The address of an installation must not have a user name.');
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw new UsageError(`${origin} is not encrypted: a key is sent over https only.`);
  // Without the version with which every path begins, as `npm start` prints it.
  return origin + pathname.replace(/(?:\/v1)?\/*$/, '');
}

/** The user's settings, in a file that only the user can read. */
export class Settings {
  readonly file: string;
  readonly #folder: string;

  constructor(env: Environment) {
    this.#folder = folderOf(env);
    this.file = join(this.#folder, 'config.json');
  }

  #read(): Stored {
    try {
      const stored: unknown = JSON.parse(readFileSync(this.file, 'utf8'));
      if (typeof stored === 'object' && stored !== null && 'installations' in stored) return stored as Stored;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { installations: {} };
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new CommandError(`${this.file} is damaged. Delete it and sign in again.`);
  }

  #write(stored: Stored): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Replaces the file atomically, so that it is never half written and never keeps the permissions of the old one.
    const temporary = `${this.file}.${process.pid}`;
    try {
      writeFileSync(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
      chmodSync(temporary, 0o600);
      renameSync(temporary, this.file);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** The installation of the last login. */
  get api(): string | undefined {
    return this.#read().api;
  }

  of(api: string): Installation {
    return this.#read().installations[api] ?? {};
  }

  /** Merges settings of an installation into the stored ones. */
  update(api: string, installation: Installation): void {
    const stored = this.#read();
    const installations = { ...stored.installations, [api]: { ...stored.installations[api], ...installation } };
    this.#write({ ...stored, installations });
  }

  /** Makes an installation the default. */
  use(api: string): void {
    this.#write({ ...this.#read(), api });
  }

  /** Removes the settings of an installation. If it is the default, there is none afterwards. */
  forget(api: string): void {
    const { api: used, installations } = this.#read();
    const { [api]: _, ...others } = installations;
    this.#write({ ...(used === undefined || used === api ? {} : { api: used }), installations: others });
  }
}

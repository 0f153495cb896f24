import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startSecretsManager } from '../../local/emulators/secrets-manager/secrets-manager.ts';
import { createTables, startDynamoDb } from '../../local/engines/dynamodb.ts';
import type { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { synthesize } from '../../local/template/synthesis.ts';

const PORTKEY = { '@portkey-ai/gateway': '1.15.2' };
/** Its streams fail with other versions of these packages. */
const OVERRIDES = { hono: '4.9.7', '@hono/node-server': '1.13.5' };
const CACHE = resolve('node_modules/.cache/portkey-1.15.2');

/** True if programs can be pinned to a core. */
export const isPinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Installs Portkey's gateway into a cache. Returns the path of its server. */
export function installPortkey(): string {
  const server = join(CACHE, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(server)) {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(
      join(CACHE, 'package.json'),
      JSON.stringify({ private: true, dependencies: PORTKEY, overrides: OVERRIDES }),
    );
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: CACHE, stdio: 'ignore' });
  }
  return server;
}

/** Starts a program, pinned to a core if one is given. Resolves with its pid once it responds. */
export async function startProgram(
  core: number | undefined,
  args: string[],
  env: Record<string, string>,
  port: number,
) {
  const command = [process.execPath, ...args];
  const [file = '', ...rest] = isPinned && core !== undefined ? ['taskset', '-c', String(core), ...command] : command;
  const child = spawn(file, rest, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return { pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') };
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Stores a provider key as an operator does. Returns the environment of a function that reads the key. */
export async function storeProviderKey(
  folder: string,
): Promise<{ env: Record<string, string>; stop(): Promise<void> }> {
  const name = 'bench-keys';
  const secret = {
    type: 'AWS::SecretsManager::Secret',
    stack: 'bench',
    account: '000000000000',
    logicalId: name,
    name,
    arn: name,
    ref: name,
  };
  const { url, stop } = await startSecretsManager({
    dataDir: folder,
    secrets: [{ ...secret, properties: { SecretString: JSON.stringify({ openai: 'x' }) } }],
  });
  return { env: { AWS_ENDPOINT_URL_SECRETS_MANAGER: url, AI_KEYS_SECRET_NAME: name }, stop };
}

/**
 * Creates a table with funded accounts. Returns the environment of a function that uses the table, and the secret keys in the order of
 * the accounts. A key may have 100 open calls (contract/limits/limits.ts), and an account 200 unless `concurrentAiCalls` is given.
 */
export async function createBenchTable(
  folder: string,
  children: ReturnType<typeof startChildren>,
  accounts = 1,
  { keysOfEach = 1, concurrentAiCalls }: { keysOfEach?: number; concurrentAiCalls?: number } = {},
) {
  const port = await freePort();
  const location = { account: '000000000000', region: 'af-south-1', queueUrl: '', baseUrl: '' };
  const settings = { stage: 'local', domain: 'localhost', region: 'af-south-1', account: '000000000000' };
  const [{ template, stop }, url] = await Promise.all([
    synthesize({ dataDir: folder, settings, location, onChange: undefined }),
    startDynamoDb({ children, port, folder: undefined }),
  ]);
  await createTables(url, template);
  await stop();
  const environment = {
    AWS_REGION: 'af-south-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: url,
    TABLE_NAME: 'hosting-local',
    APPS_DOMAIN: 'apps.localhost',
    LOGIN_ISSUER: 'http://localhost/oidc',
    LOGIN_CLIENT_ID: 'bench',
    APP_FUNCTION_ARN_PREFIX: 'arn:',
    SECRETS_KEY_ARN: 'arn:',
    RATE_LIMIT_SECRET: '1000000000',
  };
  Object.assign(process.env, environment);
  const [{ openAccount }, { overrideLimits }, { deps }] = await Promise.all([
    import('../../domain/accounts/accounts.ts'),
    import('../../domain/limits/overrides.ts'),
    import('../../runtime/deps.ts'),
  ]);
  const secretKeys: string[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const { id, keys } = await openAccount(deps, {
      email: `bench-${index}@example.com`,
      name: 'Bench',
      plan: { slug: 'b', name: 'B', appLimit: 1 },
      walletCents: 0,
      aiCreditsMicroRand: 1_000_000_000_000,
      keys: Array.from({ length: keysOfEach }, () => ({ name: 'all', scopes: ['ai'] })),
    });
    if (concurrentAiCalls !== undefined) await overrideLimits(deps, id, { concurrentAiCalls });
    secretKeys.push(...keys.map(({ secretKey }) => secretKey));
  }
  return { environment, secretKeys };
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';

const Ports = z.record(z.string(), z.number());

/** Resolves the ports of the services in a process of its own, as a run does. */
function resolveIn(dataDir: string, reserved: readonly number[]) {
  const [addresses, dataDirectory] = ['addresses', 'data-directory'].map((name) =>
    JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href),
  );
  const program = `
    import { resolveAddresses } from ${addresses};
    import { openDataDirectory } from ${dataDirectory};
    const directory = openDataDirectory(${JSON.stringify(dataDir)});
    const { ports } = await resolveAddresses(directory, 4000, ${JSON.stringify(reserved)});
    console.log(JSON.stringify(ports));
    process.exit();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return Ports.parse(JSON.parse(output));
}

test('a new service does not take the port of an existing database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'addresses-of-run-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  // As an earlier version of the platform, which had one service less, leaves it: the next port is that of a database.
  const { quotas: database, ...earlier } = resolveIn(dataDir, []);
  writeFileSync(join(dataDir, 'ports.json'), JSON.stringify(earlier));
  expect(database).toBeTypeOf('number');
  expect(resolveIn(dataDir, [Number(database)]).quotas).not.toBe(database);
});

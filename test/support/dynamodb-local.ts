import { createRequire } from 'node:module';
import { join } from 'node:path';
import { call, waitUntilUp } from '../../local/engines/wire.ts';
import type { Children } from '../../local/processes/children.ts';

const require = createRequire(import.meta.url);

/**
 * Starts AWS's DynamoDB Local, in memory unless it has a folder, and resolves with its address. The local run's own table is
 * compared with it. It needs Java 17, and listens on all interfaces.
 */
export async function startDynamoDbLocal(children: Children, port: number, folder?: string): Promise<string> {
  const emulator = join(require.resolve('amplify-dynamodb-simulator/package.json'), '../emulator');
  const java = children.spawn(
    'java',
    [
      '-Xms24m',
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Djava.library.path=./DynamoDBLocal_lib',
      `-Djava.io.tmpdir=${children.dataDir}`,
      '-jar',
      'DynamoDBLocal.jar',
      '-port',
      String(port),
      '-sharedDb',
      '-disableTelemetry',
      ...(folder ? ['-dbPath', folder] : ['-inMemory']),
    ],
    { label: 'dynamodb-local', cwd: emulator, essential: true },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(
    () => call(url, 'dynamodb', 'ListTables', {}),
    () => {
      if (java.exitCode !== null || java.signalCode !== null)
        throw new Error('DynamoDB Local did not start: is Java 17 installed?');
    },
  );
  return url;
}

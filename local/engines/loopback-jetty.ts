import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { type Body, type Constants, replaceMethod } from './class-file.ts';

/**
 * DynamoDB Local listens on all interfaces and answers every host name, without an option for either. Its web server is
 * Jetty (Apache License 2.0), whose classes decide both. Two of them are placed on the class path in front of Jetty's
 * own, each with one method changed; DynamoDB Local itself stays as it is.
 */

const [ALOAD_1, LDC_W, INVOKEVIRTUAL, IOR, IRETURN, ARETURN] = [0x2b, 0x13, 0xb6, 0x80, 0xac, 0xb0];
const u2 = (value: number): number[] => [value >> 8, value & 255];

const ADDRESS = '127.0.0.1';

/** `String getHost()`: the address that a connector listens on; none means all interfaces. */
const listenOnLoopback = (constants: Constants): Body => ({
  maxStack: 1,
  code: [LDC_W, ...u2(constants.text(ADDRESS)), ARETURN],
});

/** `boolean checkVirtualHost(Request)`: a web page elsewhere can make its own name point here (DNS rebinding). */
const answerLoopbackOnly = (constants: Constants): Body => {
  const isHost = (name: string) => [
    ...[LDC_W, ...u2(constants.text(name)), ALOAD_1],
    ...[INVOKEVIRTUAL, ...u2(constants.method('org/eclipse/jetty/server/Request.getServerName'))],
    ...[INVOKEVIRTUAL, ...u2(constants.method('java/lang/String.equals'))],
  ];
  return { maxStack: 3, code: [...isHost(ADDRESS), ...isHost('localhost'), IOR, IRETURN] };
};

const CHANGES = [
  { file: 'org/eclipse/jetty/server/AbstractNetworkConnector.class', method: 'getHost', body: listenOnLoopback },
  {
    file: 'org/eclipse/jetty/server/handler/ContextHandler.class',
    method: 'checkVirtualHost',
    body: answerLoopbackOnly,
  },
];

/** Writes the changed classes of the Jetty in `libraries` to a folder, for the front of the class path. */
export async function writeLoopbackJetty(libraries: string, folder: string): Promise<void> {
  const jar = readdirSync(libraries).find((name) => /^jetty-server-[\d.v]+\.jar$/.test(name));
  if (!jar) throw new Error(`there is no Jetty in ${libraries}`);
  const zip = await fromBufferPromise(readFileSync(join(libraries, jar)), { lazyEntries: true });
  const missing = new Set(CHANGES.map(({ file }) => file));
  for await (const entry of zip.eachEntry()) {
    const change = CHANGES.find(({ file }) => file === entry.fileName);
    if (!change) continue;
    const original = await buffer(await zip.openReadStreamPromise(entry));
    const path = join(folder, change.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, replaceMethod(original, change.method, change.body));
    missing.delete(change.file);
    if (missing.size === 0) break;
  }
  if (missing.size > 0) throw new Error(`${jar} has no ${[...missing].join(' and no ')}`);
}

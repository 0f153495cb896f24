import { text } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** Returns the artifact's files with their contents, by path. */
export async function entriesOf(artifact: Buffer | undefined): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(artifact ?? Buffer.alloc(0), { lazyEntries: true });
  const entries = new Map<string, string>();
  for await (const entry of archive.eachEntry()) {
    entries.set(entry.fileName, await text(await archive.openReadStreamPromise(entry)));
  }
  return entries;
}

/** A member of a tar archive begins with a block of 512 bytes, and its content fills blocks: POSIX pax, "ustar Interchange Format". */
const BLOCK = 512;
const SIZE = { from: 124, to: 136 };
const TYPE = 156;
/** Types of members that say something of the one behind them: long names and extended headers. */
const PREFIXES = 'xgLK';
const HARD_LINK = '1';
/** The end of an archive. */
const END = Buffer.alloc(2 * BLOCK);
/** Creating a file takes as long as writing so many bytes of one. */
const BYTES_PER_FILE = 32 * 1024;

/**
 * Splits an archive in two that take equally long to unpack: creating ten thousand files is one processor's work for each
 * process that does it. They may be unpacked at the same time into the same directory. Returns the archive alone where it has
 * hard links, whose files have to be there first.
 */
export function splitArchive(archive: Buffer): Buffer[] {
  const members: { at: number; work: number }[] = [];
  let work = 0;
  let at = 0;
  let from: number | undefined;
  while (at + BLOCK <= archive.length && archive[at] !== 0) {
    const type = String.fromCharCode(archive[at + TYPE] ?? 0);
    if (type === HARD_LINK) return [archive];
    from ??= at;
    const size = Math.max(0, Number.parseInt(archive.toString('latin1', at + SIZE.from, at + SIZE.to), 8) || 0);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (PREFIXES.includes(type)) continue;
    members.push({ at: from, work });
    work += BYTES_PER_FILE + at - from;
    from = undefined;
  }
  const middle = members.find((member) => member.work >= work / 2);
  if (!middle || middle.at === 0) return [archive];
  return [Buffer.concat([archive.subarray(0, middle.at), END]), archive.subarray(middle.at)];
}

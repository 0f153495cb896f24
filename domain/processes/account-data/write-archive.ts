import type { ExportId, Exports } from '../../../providers/exports/exports.ts';
import { Invoice, invoicesOf } from '../../../table/entities/billing.ts';
import { getInvoicePdf } from '../../billing/invoice-pdf.ts';
import type { Seller } from '../../billing/invoice-views.ts';
import type { Deps } from '../../deps.ts';
import { ALL_CONTENTS } from './all-contents.ts';
import { openArchive } from './archive.ts';
import type { Positioned } from './item-readers.ts';
import { readme } from './readme.ts';

export interface ArchiveDeps {
  exports: Exports;
  seller: Seller;
}

/** Approximate size of one file of the archive in bytes. The items of a file are in memory at the same time. */
const FILE_BYTES = 4 * 1024 ** 2;

/** Position of the writer. */
interface Cursor {
  /** Index of the current part of the archive. */
  part: number;
  /** Position of the last written item in that part. */
  after?: string;
  /** Number of the next file in that part. */
  file: number;
}

/** A part of an archive: the items of one entity in files of many items, or one file per invoice. */
interface Part {
  name: string;
  read(deps: Deps & ArchiveDeps, accountId: string, after?: string): AsyncIterable<Positioned<object | NamedFile>>;
}

class NamedFile {
  readonly path: string;
  readonly content: Buffer;
  constructor(path: string, content: Buffer) {
    this.path = path;
    this.content = content;
  }
}

/** The invoices as PDF documents. */
const invoicePdfs: Part = {
  name: 'invoices-pdf',
  async *read(deps, accountId, after) {
    for await (const invoice of deps.table.each(Invoice, invoicesOf(accountId), after)) {
      const position = Invoice.list?.(invoice)?.listSk ?? '';
      const pdf = await getInvoicePdf(deps, { accountId, keyId: '' }, invoice);
      yield [position, new NamedFile(`invoices/${invoice.number}.pdf`, pdf)];
    }
  },
};

const PARTS: readonly Part[] = [
  ...ALL_CONTENTS.flatMap(({ file, readRows }): Part[] =>
    file === undefined
      ? []
      : [{ name: file, read: ({ table }, accountId, after) => readRows(table, accountId, after) }],
  ),
  invoicePdfs,
];

/**
 * Continues an account's archive from its saved state until it is complete or the time `until` is reached. At most about {@link FILE_BYTES}
 * of items and one part of the upload are in memory.
 */
export async function writeArchive(
  deps: Deps & ArchiveDeps,
  exportId: ExportId,
  until: string,
): Promise<{ done: boolean; sizeBytes: number }> {
  const archive = await openArchive<Cursor>(deps.exports, exportId, { part: 0, file: 1 });
  const isTimeUp = () => deps.now().toISOString() >= until;
  for (let part = PARTS[archive.cursor.part]; part; part = PARTS[archive.cursor.part]) {
    let rows: string[] = [];
    let bytes = 0;
    const flush = async (after: string) => {
      const { file, ...cursor } = archive.cursor;
      if (rows.length > 0) {
        const name = `${part?.name}/${String(file).padStart(4, '0')}.json`;
        await archive.add(name, Buffer.from(`[\n${rows.join(',\n')}\n]\n`));
      }
      archive.cursor = { ...cursor, after, file: rows.length > 0 ? file + 1 : file };
      rows = [];
      bytes = 0;
    };
    let last: string | undefined;
    for await (const [position, item] of part.read(deps, exportId.accountId, archive.cursor.after)) {
      last = position;
      if (item instanceof NamedFile) await archive.add(item.path, item.content);
      else {
        const row = JSON.stringify(item);
        rows.push(row);
        bytes += row.length;
      }
      if (bytes >= FILE_BYTES) await flush(position);
      if (!isTimeUp()) continue;
      await flush(position);
      await archive.save();
      return { done: false, sizeBytes: archive.size() };
    }
    if (last !== undefined) await flush(last);
    archive.cursor = { part: archive.cursor.part + 1, file: 1 };
  }
  await archive.add('README.txt', Buffer.from(readme(deps, exportId)));
  await archive.end();
  return { done: true, sizeBytes: archive.size() };
}

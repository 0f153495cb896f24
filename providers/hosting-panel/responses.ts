import * as z from 'zod/mini';
import { memoize } from '../../contract/memoize.ts';

/** cPanel writes numbers either as numbers or as text. */
const Amount = () => z.pipe(z.union([z.number(), z.string()]), z.transform(Number));
const Flag = () =>
  z.pipe(
    Amount(),
    z.transform((amount: number) => amount !== 0),
  );

/** The envelope of every response of WHM API 1. */
export const WhmResponse = memoize(() =>
  z.object({
    metadata: z.object({ result: Flag(), reason: z._default(z.string(), '') }),
    data: z.optional(z.unknown()),
  }),
);
export const Summary = memoize(() =>
  z.object({ acct: z.array(z.object({ domain: z.string(), plan: z.string(), suspended: Flag() })) }),
);
const uapi = <T extends z.ZodMiniType>(data: z.ZodMiniArray<T>) =>
  z.object({ uapi: z.object({ status: Amount(), errors: z.nullish(z.array(z.string())), data: z.nullish(data) }) });
export const Usages = memoize(() =>
  uapi(
    z.array(
      z.object({
        description: z.string(),
        usage: z.nullish(Amount()),
        maximum: z.nullish(Amount()),
        formatter: z.nullish(z.string()),
      }),
    ),
  ),
);
type Usage = NonNullable<z.output<ReturnType<typeof Usages>>['uapi']['data']>[number];
/** `_diskquota` is in bytes; 0 means no limit. */
export const Mailboxes = memoize(() => uapi(z.array(z.object({ email: z.string(), _diskquota: z.nullish(Amount()) }))));

/** The result of a change, without its data. */
export const Outcome = memoize(() =>
  z.object({ uapi: z.object({ status: Amount(), errors: z.nullish(z.array(z.string())) }) }),
);

/** `expires` is in seconds since the epoch. */
export const Session = memoize(() => z.object({ url: z.url({ protocol: /^https?$/ }), expires: Amount() }));

type Mailbox = NonNullable<z.output<ReturnType<typeof Mailboxes>>['uapi']['data']>[number];

const MIB = 1024 * 1024;
const roundToTenth = (amount: number) => String(Math.round(amount * 10) / 10);

/** Formats bytes in MB, or in GB from 1 GB on. */
const formatBytes = (bytes: number): string =>
  bytes < 1024 * MIB ? `${roundToTenth(bytes / MIB)} MB` : `${roundToTenth(bytes / MIB / 1024)} GB`;

/** Formats an amount in the unit that cPanel names for it. */
function formatAmount(amount: number, formatter: string | null | undefined): string {
  if (formatter === 'percent') return `${roundToTenth(amount)}%`;
  if (formatter === 'format_bytes') return formatBytes(amount);
  if (formatter === 'format_bytes_per_second') return `${roundToTenth(amount / MIB)} MB/s`;
  return roundToTenth(amount);
}

/** Formats the usage of a resource: `25 MB of 1 GB`, `25 MB, unlimited`. */
export const formatUsage = ({ usage, maximum, formatter }: Usage): string =>
  `${formatAmount(usage || 0, formatter)}${maximum ? ` of ${formatAmount(maximum, formatter)}` : ', unlimited'}`;

/** Returns a mailbox with its quota in MB; 0 is unlimited. */
export const toMailbox = ({ email, _diskquota }: Mailbox) => ({
  address: email,
  quotaMb: Math.round((_diskquota || 0) / MIB),
});

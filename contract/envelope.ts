import * as z from 'zod/mini';
import { memoize } from './memoize.ts';

/** Adds a description to a field, for the OpenAPI document. */
export function describe<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/**
 * Text in one line: no control characters (C0 and C1), and no line or paragraph separator of Unicode. `.` leaves the separators out:
 * their escapes would be in the OpenAPI document, and generators write them into a regular expression as the line ends that they are.
 * Two patterns, because one would need a look-ahead, which the regular expressions of Go and Rust do not have.
 */
export const oneLine = () => {
  const error = 'must be one line without control characters';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return [z.regex(/^[^\x00-\x1f\x7f-\x9f]*$/, { error, abort: true }), z.regex(/^.*$/, error)] as const;
};

/** Text in any number of lines, without other control characters than tabs and ends of lines. */
export const plainText = () =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  z.regex(/^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$/, 'must be text without control characters');

/** ISO 8601 in UTC with milliseconds (specification, General conventions 5). */
export const Timestamp = () =>
  z.iso
    .datetime({ precision: 3, error: 'must be a time in UTC with milliseconds, e.g. 2027-01-31T09:30:00.000Z' })
    .register(z.globalRegistry, { examples: ['2026-01-31T09:30:00.000Z'] });

/** A moment in a request, with any offset from UTC; read as UTC with milliseconds. */
export const Moment = (description: string) =>
  z
    .pipe(
      z.iso.datetime({ offset: true, error: 'must be a time in ISO 8601, e.g. 2027-01-31T09:30:00.000Z' }),
      z.transform((text) => new Date(text).toISOString()),
    )
    .register(z.globalRegistry, {
      openApiOverride: { type: 'string', format: 'date-time', description, examples: ['2026-01-31T09:30:00.000Z'] },
    });

/** The longest address that Cognito signs up, in characters: the address is the user's name there. */
const MAX_LOGIN_EMAIL_LENGTH = 128;

/** The email address of a person who signs in, in a request; read in lower case. */
export const Email = () =>
  z.pipe(
    z.email({ error: 'must be an email address' }).check(z.maxLength(MAX_LOGIN_EMAIL_LENGTH)),
    z.transform((text) => text.toLowerCase()),
  );

/** Rand with two decimals, as a string (specification, General conventions 4). */
export const Money = () =>
  z
    .string()
    .check(z.regex(/^-?\d+\.\d{2}$/))
    .register(z.globalRegistry, { description: 'Rand (ZAR), two decimals', examples: ['129.00'] });

/** An amount of rand in a request, between two limits in rand. */
export const Amount = (least: number, most: number) => {
  const form = /^\d{1,9}\.\d{2}$/;
  const within = (text: string) => form.test(text) && Number(text) >= least && Number(text) <= most;
  return z
    .string('must be a string such as "250.00"')
    .check(z.refine(within, `must be rand with two decimals, from ${least.toFixed(2)} to ${most.toFixed(2)}`))
    .register(z.globalRegistry, {
      pattern: form.source,
      description: 'Rand (ZAR), two decimals',
      examples: ['250.00'],
    });
};

/** A resource under its name in the documentation. */
export const resource = <T extends z.ZodMiniType>(id: string, build: () => T): (() => T) =>
  memoize(() => {
    const built = build();
    z.globalRegistry.add(built, { id });
    return built;
  });

/** `{data}`: the envelope of every single answer. */
export const single = <T extends z.ZodMiniType>(resource: T) => z.object({ data: resource });

/** `{data, has_more}`: the envelope of every list. */
export const list = <T extends z.ZodMiniType>(resource: T) =>
  z.object({ data: z.array(resource), has_more: z.boolean() });

/**
 * The envelope of a list with a filter. A request reads a bounded number of items, so that it may find fewer than it was asked for
 * where its filter leaves most out: `has_more` is true then, and the next page begins behind `cursor`.
 */
export const filteredList = <T extends z.ZodMiniType>(resource: T) =>
  z.extend(list(resource), {
    cursor: describe(
      z.optional(z.string()),
      'Given where the filter found too few items: the `cursor` of the next page, in place of the last item',
    ),
  });

/** A whole number in a query. A query is text; the document shows the number that it stands for. */
export const wholeNumber = (name: string, least: number, most: number, fallback: number) => {
  const asked = `must be a whole number from ${least} to ${most}`;
  const inRange = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most;
  const openApiOverride = { type: 'integer', minimum: least, maximum: most, default: fallback, description: name };
  return z
    .pipe(z._default(z.string().check(z.refine(inRange, asked)), String(fallback)), z.transform(Number))
    .register(z.globalRegistry, { openApiOverride });
};

/** Skipping reads what it skips, so that a longer way into a list needs a cursor. */
const MAX_OFFSET = 10_000;

/** Ids have 26 characters behind their prefix (domain/ids.ts), and those of deliveries 32 (domain/webhooks/fan-out.ts). */
const CURSOR_DIGITS = '(?:[0-9a-z]{26}|[0-9a-f]{32})';

/**
 * `limit` 1-100 (default 50) and `offset` from 0 (specification, Limits 4). An addition: `cursor`, the id of the last item of
 * the page before, after which this one begins, however long the list is and whatever was added to it meanwhile.
 *
 * @param idPrefix that of the list's ids: an id of another kind names no place in it
 */
export const Page = (idPrefix: string) =>
  z.object({
    limit: wholeNumber('Maximum number of items to return', 1, 100, 50),
    offset: wholeNumber('Number of items to skip; further into a list than this, use `cursor`', 0, MAX_OFFSET, 0),
    cursor: describe(
      z.optional(
        z
          .string()
          .check(z.regex(new RegExp(`^${idPrefix}_${CURSOR_DIGITS}$`), 'must be the id of an item of this list')),
      ),
      'The `id` of the last item of the page before',
    ),
  });

/** The answer to a deletion. */
export const Deleted = () => single(z.object({ id: z.string(), deleted: z.literal(true) }));

/** The id of a resource in a path: opaque, but never longer than any of ours. */
export const Id = () => z.object({ id: z.string().check(z.minLength(1), z.maxLength(64)) });

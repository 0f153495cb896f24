import * as z from 'zod/mini';
import { memoize } from './memoize.ts';

/** Adds a description to a field, for the OpenAPI document. */
export function describe<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/**
 * Text on one line: no control characters (C0 and C1) and no Unicode line or paragraph separators. `.` excludes the separators
 * without naming them: from escapes in the OpenAPI document, generators would write real line ends into a regular expression.
 * Two patterns, because a single one would need a lookahead, which the regular expressions of Go and Rust lack.
 */
export const oneLine = () => {
  const error = 'must be one line without control characters';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return [z.regex(/^[^\x00-\x1f\x7f-\x9f]*$/, { error, abort: true }), z.regex(/^.*$/, error)] as const;
};

/** A name or other text on one line, without spaces around it. */
export const line = (maxLength: number, minLength = 1) =>
  z.string().check(...oneLine(), z.trim(), z.minLength(minLength), z.maxLength(maxLength));

/** Text on any number of lines, without control characters other than tabs and line ends. */
export const plainText = () =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  z.regex(/^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$/, 'must be text without control characters');

/** ISO 8601 in UTC with milliseconds (specification, General conventions 5). */
export const Timestamp = () =>
  z.iso
    .datetime({ precision: 3, error: 'must be a time in UTC with milliseconds, e.g. 2027-01-31T09:30:00.000Z' })
    .register(z.globalRegistry, { examples: ['2026-01-31T09:30:00.000Z'] });

/** The earliest and the latest time of a request. Services of AWS refuse earlier ones, and later ones would not sort as text. */
const [FIRST_TIME, LAST_TIME] = [0, Date.parse('9999-12-31T23:59:59.999Z')];

/** A time in a request, with any offset from UTC. It is normalized to UTC with milliseconds, of the years 1970 to 9999. */
export const Moment = (description: string) =>
  z
    .pipe(
      z.iso.datetime({ offset: true, error: 'must be a time in ISO 8601, e.g. 2027-01-31T09:30:00.000Z' }),
      z.transform((text) => new Date(Math.min(Math.max(Date.parse(text), FIRST_TIME), LAST_TIME)).toISOString()),
    )
    .register(z.globalRegistry, {
      openApiOverride: { type: 'string', format: 'date-time', description, examples: ['2026-01-31T09:30:00.000Z'] },
    });

/** The longest email address in characters that Cognito accepts: the address is the user name there. */
const MAX_LOGIN_EMAIL_LENGTH = 128;

/** The email address of a login, in a request. It is lowercased. */
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

/** An amount in a request, from `min` to `max` rand. */
export const Amount = (min: number, max: number) => {
  const format = /^\d{1,9}\.\d{2}$/;
  const isInRange = (text: string) => format.test(text) && Number(text) >= min && Number(text) <= max;
  return z
    .string('must be a string such as "250.00"')
    .check(z.refine(isInRange, `must be rand with two decimals, from ${min.toFixed(2)} to ${max.toFixed(2)}`))
    .register(z.globalRegistry, {
      pattern: format.source,
      description: 'Rand (ZAR), two decimals',
      examples: ['250.00'],
    });
};

/** Defines a resource and its name in the OpenAPI document. */
export const resource = <T extends z.ZodMiniType>(id: string, build: () => T): (() => T) =>
  memoize(() => {
    const built = build();
    z.globalRegistry.add(built, { id });
    return built;
  });

/** `{data}`: the envelope of a single resource. */
export const single = <T extends z.ZodMiniType>(resource: T) => z.object({ data: resource });

/** `{data, has_more}`: the envelope of a list. */
export const list = <T extends z.ZodMiniType>(resource: T) =>
  z.object({ data: z.array(resource), has_more: z.boolean() });

/** `{data, has_more: false}`: the envelope of a list that has no pages. */
export const wholeList = <T extends z.ZodMiniType>(resource: T) =>
  z.object({ data: z.array(resource), has_more: z.literal(false) });

/**
 * The envelope of a filtered list. A request reads a bounded number of items, so a filter that excludes most of them may leave the
 * page short. `has_more` is true then, and the next page begins after `cursor`.
 */
export const filteredList = <T extends z.ZodMiniType>(resource: T) =>
  z.extend(list(resource), {
    cursor: describe(
      z.optional(z.string()),
      'The `cursor` for the next page. Present only when the filter left this page short; otherwise use the `id` of the last item.',
    ),
  });

/** A whole number in a query string. Its schema parses text; the OpenAPI document shows an integer. */
export const wholeNumber = (description: string, min: number, max: number, fallback: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  const isInRange = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;
  const openApiOverride = { type: 'integer', minimum: min, maximum: max, default: fallback, description };
  return z
    .pipe(z._default(z.string().check(z.refine(isInRange, message)), String(fallback)), z.transform(Number))
    .register(z.globalRegistry, { openApiOverride });
};

/** The largest `offset`. Skipped items are read too, so that going further into a list needs a cursor. */
const MAX_OFFSET = 10_000;

/** The part of an id after its prefix: 26 characters (domain/ids.ts), or 32 for deliveries (domain/webhooks/fan-out.ts). */
const CURSOR_DIGITS = '(?:[0-9a-z]{26}|[0-9a-f]{32})';

/**
 * The pagination of a list: `limit` 1-100 (default 50) and `offset` from 0 (specification, Limits 4). An addition is `cursor`, the
 * id of the last item of the previous page. It works at any depth of the list, and items added meanwhile do not shift the pages.
 *
 * @param idPrefix the prefix of the list's ids; an id with another prefix is refused as a cursor
 */
export const Page = (idPrefix: string) =>
  z.object({
    limit: wholeNumber('Maximum number of items to return', 1, 100, 50),
    offset: wholeNumber('Number of items to skip. To go further into a list, use `cursor`.', 0, MAX_OFFSET, 0),
    cursor: describe(
      z.optional(
        z
          .string()
          .check(z.regex(new RegExp(`^${idPrefix}_${CURSOR_DIGITS}$`), 'must be the id of an item of this list')),
      ),
      'The `id` of the last item of the previous page',
    ),
  });

/** The response to a deletion. */
export const Deleted = () => single(z.object({ id: z.string(), deleted: z.literal(true) }));

/** The id of a resource in a path: an opaque string. No id of the platform reaches the maximum length. */
export const Id = () => z.object({ id: z.string().check(z.minLength(1), z.maxLength(64)) });

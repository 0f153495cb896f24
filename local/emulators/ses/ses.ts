import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { createThrottle } from '../strict.ts';
import { type Emulator, type EmulatorOptions, parse, ServiceError, serve } from '../wire.ts';

/** Limits of an email (https://docs.aws.amazon.com/ses/latest/dg/quotas.html). */
const MAX_RECIPIENTS = 50;
const MAX_BYTES = 40 * 1024 ** 2;

const Part = z.object({ Data: z.string(), Charset: z.literal('UTF-8') });
/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
const SendEmail = z.object({
  FromEmailAddress: z.email(),
  Destination: z.object({ ToAddresses: z.array(z.email()).min(1).max(MAX_RECIPIENTS) }),
  Content: z.object({
    Simple: z.object({
      Subject: Part,
      Body: z.object({ Text: Part, Html: Part }),
      Headers: z
        .array(
          z.object({
            Name: z
              .string()
              .max(126)
              .regex(/^[!-9;-@A-~]+$/),
            Value: z
              .string()
              .max(870)
              .regex(/^[ -~]+$/),
          }),
        )
        .max(15)
        .default([]),
    }),
  }),
  EmailTags: z.array(z.object({ Name: z.string(), Value: z.string().regex(/^[\w.@-]{1,256}$/) })).default([]),
});

/** A sent email. */
export interface SentEmail {
  id: string;
  at: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** Maximum number of emails that `GET /messages` returns. */
const MAX_LISTED = 100;
const DAY_MS = 86_400_000;

interface SesOptions extends EmulatorOptions {
  /** The verified domain; undefined if the run sends no emails. */
  identity: string | undefined;
  /** Called with each email. */
  onSent(email: SentEmail): void;
}

/**
 * Starts an emulator of Amazon SES (API v2): `SendEmail` for simple messages from a verified domain, and the send quota of
 * `GetAccount`. No email leaves the machine. `GET /messages`, which SES does not have, lists the sent emails, newest first.
 */
export function startSes({ dataDir, port, strict, identity, onSent }: SesOptions): Promise<Emulator> {
  const file = join(dataDir, 'mails.jsonl');
  const throttle = createThrottle(
    strict,
    () => new ServiceError('TooManyRequestsException', 'Maximum sending rate exceeded.', 429),
  );
  const read = (): SentEmail[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  const sendQuota = () => ({
    Max24HourSend: AWS_LIMITS.mailsOfDay.value,
    MaxSendRate: AWS_LIMITS.mailRate.value,
    SentLast24Hours: read().filter(({ at }) => Date.now() - Date.parse(at) < DAY_MS).length,
  });

  return serve(port, 'application/json', ({ method, path, body }) => {
    if (method === 'GET' && path === '/messages') return { body: read().slice(-MAX_LISTED).reverse() };
    if (method === 'GET' && path === '/v2/email/account') return { body: { SendQuota: sendQuota() } };
    if (method !== 'POST' || path !== '/v2/email/outbound-emails')
      throw new ServiceError('NotFoundException', path, 404);
    throttle('mailRate');
    if (body.length > MAX_BYTES) throw new ServiceError('BadRequestException', 'The message is too long.');
    const { FromEmailAddress: from, Destination, Content } = parse(SendEmail, body);
    if (identity === undefined || from.slice(from.indexOf('@') + 1) !== identity)
      throw new ServiceError('MessageRejected', `Email address is not verified: ${from}`);
    const { Subject, Body, Headers } = Content.Simple;
    const email: SentEmail = {
      id: randomUUID(),
      at: new Date().toISOString(),
      from,
      to: Destination.ToAddresses,
      subject: Subject.Data,
      text: Body.Text.Data,
      html: Body.Html.Data,
      headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
    };
    appendFileSync(file, `${JSON.stringify(email)}\n`, { mode: 0o600 });
    onSent(email);
    return { body: { MessageId: email.id } };
  });
}

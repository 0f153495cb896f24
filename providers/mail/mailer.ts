/** An email to one person. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Address by which a mail client switches such emails off with one click (RFC 8058). */
  unsubscribeUrl?: string;
  /** The login that it is sent to, by which a bounce finds it. */
  login?: string;
}

/** Sends emails. */
export interface Mailer {
  /** Sends an email. Throws if it was not accepted; what is accepted may still bounce. */
  send(mail: Mail): Promise<void>;
}

type Post = (path: string, input: object) => Promise<void>;

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

/** https://www.rfc-editor.org/rfc/rfc8058#section-3.1 */
const unsubscribeHeaders = (url: string) => [
  { Name: 'List-Unsubscribe', Value: `<${url}>` },
  { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
];

/** SES (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). */
export const createMailer = (post: Post, from: string): Mailer => ({
  async send({ to, subject, text, html, unsubscribeUrl, login }) {
    await post('/v2/email/outbound-emails', {
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { Text: utf8(text), Html: utf8(html) },
          ...(unsubscribeUrl === undefined ? {} : { Headers: unsubscribeHeaders(unsubscribeUrl) }),
        },
      },
      ...(login === undefined ? {} : { EmailTags: [{ Name: 'login', Value: login }] }),
    });
  },
});

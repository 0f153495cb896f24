/** An email to one recipient. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** URL with which a mail client unsubscribes from these emails with one click (RFC 8058). */
  unsubscribeUrl?: string;
  /** The recipient's login, so that a bounce can be assigned to it. */
  login?: string;
}

/** Sends emails. */
export interface Mailer {
  /** Sends an email. Throws if it was not accepted. An accepted email may still bounce. */
  send(mail: Mail): Promise<void>;
}

type Post = (path: string, input: object) => Promise<void>;

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

/** https://www.rfc-editor.org/rfc/rfc8058#section-3.1 */
const unsubscribeHeaders = (url: string) => [
  { Name: 'List-Unsubscribe', Value: `<${url}>` },
  { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
];

/** Amazon SES implementation (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). */
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

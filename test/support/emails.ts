import type { SentEmail } from '../../local/emulators/ses/ses.ts';
import { local } from './harness.ts';

/** Returns the emails that the platform sent, the newest first, as SES's emulator has them. */
export const sentEmails = async (): Promise<SentEmail[]> =>
  (await (await fetch(`${local.environment.AWS_ENDPOINT_URL_SESV2}/messages`)).json()) as SentEmail[];

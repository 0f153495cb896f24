import { createMailer } from '../../providers/mail/mailer.ts';
import { postJson } from '../aws/rest.ts';
import { required } from '../config.ts';

export const mailer = createMailer(
  (path, input) => postJson({ service: 'ses', host: 'email', region: required('MAIL_REGION') }, path, input),
  required('MAIL_FROM'),
);

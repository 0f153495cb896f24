import { createSecrets } from '../../providers/encryption/secrets.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const secrets = createSecrets(
  (operation, input) => callAws('kms', operation, input),
  required('SECRETS_KEY_ARN'),
);

import { createDatabasePasswords } from '../../providers/databases/passwords.ts';
import { assumeRole } from '../aws/assume-role.ts';
import { required } from '../config.ts';

const roleArn = required('DATABASE_ACCESS_ROLE_ARN');

export const databasePasswords = createDatabasePasswords(
  (session) => assumeRole({ roleArn, ...session }),
  required('DATABASE_ARN_PREFIX'),
);

import { createUsers } from '../../providers/login/users.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const users = createUsers(
  (operation, input) => callAws('cognito-idp', operation, input),
  required('USER_POOL_ID'),
);

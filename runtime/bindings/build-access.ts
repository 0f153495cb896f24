import { createBuildAccess } from '../../providers/builds/access.ts';
import { presign } from '../aws/presign.ts';
import { required } from '../config.ts';

const bucket = required('BUILDS_BUCKET');
const roleArn = required('BUILD_ACCESS_ROLE_ARN');

export const buildAccess = createBuildAccess((grants, session) => presign(bucket, grants, { roleArn, ...session }));

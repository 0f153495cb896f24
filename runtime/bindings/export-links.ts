import { createExportLinks } from '../../providers/exports/exports.ts';
import { presign } from '../aws/presign.ts';
import { required } from '../config.ts';

const bucket = required('BUILDS_BUCKET');
const roleArn = required('EXPORT_ACCESS_ROLE_ARN');

export const exportLinks = createExportLinks((grants, session) => presign(bucket, grants, { roleArn, ...session }));

import { createDatabases } from '../../providers/databases/databases.ts';
import { required } from '../config.ts';

export const databases = createDatabases(required('DATABASE_REGION'), required('DATABASE_ARN_PREFIX'));

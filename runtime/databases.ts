import { createDatabases } from '../providers/databases.ts';
import { required } from './config.ts';

export const databases = createDatabases(required('DATABASE_REGION'));

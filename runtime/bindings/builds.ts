import { createBuilds } from '../../providers/builds/builds.ts';
import { deleteObject, getObject, putObject } from '../aws/objects.ts';
import { required } from '../config.ts';

export const bucket = required('BUILDS_BUCKET');
export const builds = createBuilds({ getObject, putObject, deleteObject }, bucket);

import { createDeletedArtifacts } from '../../providers/builds/deleted-artifacts.ts';
import { objectVersions } from '../aws/object-versions.ts';
import { required } from '../config.ts';

export const deletedArtifacts = createDeletedArtifacts(objectVersions, required('BUILDS_BUCKET'));

import { getGitHook as route } from '../../contract/apps/git-access.ts';
import { getGitHook } from '../../domain/git-access.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { secrets } from '../../runtime/secrets.ts';

/** GET /dashboard/v1/apps/{id}/git-hook */
export const handler = endpoint(route, getGitHook, { secrets });

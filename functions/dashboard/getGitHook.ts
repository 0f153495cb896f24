import { getGitHook as route } from '../../contract/apps/git-access.ts';
import { getGitHook } from '../../domain/apps/git-access.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/git-hook */
export const handler = endpoint(route, getGitHook, { secrets });

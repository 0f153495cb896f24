import { rotateGitHook as route } from '../../contract/apps/git-access.ts';
import { rotateGitHook } from '../../domain/apps/git-access.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/apps/{id}/git-hook/rotate */
export const handler = endpoint(route, rotateGitHook, { secrets });

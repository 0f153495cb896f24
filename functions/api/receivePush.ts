import { receivePush as route } from '../../contract/deployments/push-hook.ts';
import { identifyHook, receivePush } from '../../domain/deployments/pushes.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { hook } from '../../runtime/http/hook.ts';

/** POST /hooks/git/{appId} */
export const handler = hook(route, { identify: identifyHook, act: receivePush }, { secrets });

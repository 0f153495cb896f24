import { App } from '../table/entities/apps.ts';
import { Move } from '../table/entities/cells.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules about applications. */
export const appRules = (deps: HandOverDeps): Rules => {
  const route = handOverTo(deps, 'routes', App);
  return {
    'app.route-placeholder': on(App).created(route('app.route-placeholder')),
    'app.suspend': on(App).becomes({ status: 'SUSPENDED' }, route('app.apply-status')),
    'app.resume': on(App).updated(
      { from: { status: 'SUSPENDED' }, to: { status: 'RUNNING' } },
      route('app.apply-status'),
    ),
    'app.move': on(Move).created(handOverTo(deps, 'workflows', Move)('app.move')),
    'app.teardown': on(App).becomes({ status: 'DELETING' }, handOverTo(deps, 'workflows', App)('app.teardown')),
  };
};

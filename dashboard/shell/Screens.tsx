import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { RightContext } from '../api/rights.ts';
import { loadPage } from '../load-page.ts';
import { NotFound } from '../ui/NotFound.tsx';
import { Skeletons } from '../ui/QueryBoundary.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { isCurrent, NAV_ITEMS } from './nav.ts';

/** Like `lazy`, which caches a failure. Here the next visit to an area that failed to load reloads the page. */
function lazyWithRetry(load: () => Promise<{ default: ComponentType }>): () => ComponentType {
  const create = (request: typeof load): ComponentType =>
    lazy(() =>
      request().catch((error: unknown) => {
        area = create(loadPage);
        throw error;
      }),
    );
  let area = create(load);
  return () => area;
}

const AREAS = NAV_ITEMS.map(({ href, load }) => ({
  path: href === '/' ? href : `${href}/*?`,
  area: lazyWithRetry(load),
}));

/** Renders the screen of the current URL. An area that failed leaves the others usable. */
export function Screens() {
  const [location] = useLocation();
  const current = NAV_ITEMS.findLast(({ href }) => isCurrent(location, href));
  return (
    <ErrorBoundary key={current?.href}>
      <RightContext value={current?.right ?? 'member'}>
        <Suspense fallback={<Skeletons lines={4} />}>
          <Switch>
            {AREAS.map(({ path, area }) => (
              <Route key={path} path={path} component={area()} />
            ))}
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </RightContext>
    </ErrorBoundary>
  );
}

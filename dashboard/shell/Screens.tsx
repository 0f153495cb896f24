import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { NotFound } from '../ui/NotFound.tsx';
import { Skeletons } from '../ui/QueryBoundary.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { NAV_ITEMS } from './nav.ts';

const AREAS = NAV_ITEMS.map(({ href, load }) => ({
  path: href === '/' ? href : `${href}/*?`,
  Area: lazy(load),
}));

/** Renders the screen of the current URL. */
export const Screens = () => (
  <ErrorBoundary>
    <Suspense fallback={<Skeletons lines={4} />}>
      <Switch>
        {AREAS.map(({ path, Area }) => (
          <Route key={path} path={path} component={Area} />
        ))}
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  </ErrorBoundary>
);

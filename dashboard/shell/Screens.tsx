import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { Waiting } from '../ui/QueryBoundary.tsx';
import { Stumble } from './ErrorBoundary.tsx';
import { NotFound } from './NotFound.tsx';
import { PLACES } from './nav.ts';

const AREAS = PLACES.map(({ href, load }) => ({
  path: href === '/' ? href : `${href}/*?`,
  Area: lazy(load),
}));

/** The screen that the address names. */
export const Screens = () => (
  <Stumble>
    <Suspense fallback={<Waiting lines={4} />}>
      <Switch>
        {AREAS.map(({ path, Area }) => (
          <Route key={path} path={path} component={Area} />
        ))}
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  </Stumble>
);

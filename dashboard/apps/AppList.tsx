import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { AppRows } from './AppRows.tsx';
import { stateLabel } from './AppStatus.tsx';
import { type Application, useApps } from './api.ts';
import { appState } from './app-state.ts';
import { FRAMEWORK_LABELS } from './labels.ts';

const VIEW: ListView<Application> = {
  text: (app) =>
    `${app.name} ${app.primaryDomain} ${app.defaultDomain} ${app.repoUrl ?? ''} ${app.branch} ${FRAMEWORK_LABELS[app.framework]}`,
  sorts: {
    name: { label: 'Name', compare: byName(({ name }) => name) },
    updated: { label: 'Last changed', compare: (a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt) },
    oldest: { label: 'Oldest first', compare: byTime(({ createdAt }) => createdAt) },
  },
  status: appState,
};

/** List of all applications. */
export function AppList() {
  const filter = useListFilter();
  const apps = useApps({ allPages: filter.isActive });
  return (
    <Screen title="Applications" actions={<ButtonLink href="/apps/new">New application</ButtonLink>}>
      <FilteredList
        name="applications"
        list={apps}
        filter={filter}
        view={VIEW}
        statusLabel={stateLabel}
        empty={<EmptyState title="No applications yet">Connect a Git repository to build and deploy it.</EmptyState>}
      >
        {(items) => <AppRows apps={items} />}
      </FilteredList>
    </Screen>
  );
}

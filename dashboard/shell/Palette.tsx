// Without a cascade layer, unlike dashboard/mantine.css: a lazily loaded stylesheet is inserted before the first one of the page, so
// in the same layer the page's styles of these components would win.
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { listKeys } from '../../contract/accounts/api-keys.ts';
import { listApps } from '../../contract/apps/apps.ts';
import { listDatabases } from '../../contract/databases/databases.ts';
import { listDomains } from '../../contract/registrar/domains.ts';
import { listEndpoints } from '../../contract/webhooks/management.ts';
import { useApiList } from '../api/use-api-list.ts';
import { appItems, type PaletteGroup, STATIC_GROUPS, searchGroups } from './palette-items.ts';

/** A search covers the whole account, so every page of its lists is read. */
const ALL = { allPages: true } as const;

/** Returns the account's resources as entries. They are read when the palette opens, and shown as they arrive. */
function useResources(): { groups: PaletteGroup[]; isLoading: boolean } {
  const apps = useApiList(listApps, {}, ALL);
  const domains = useApiList(listDomains, {}, ALL);
  const databases = useApiList(listDatabases, {}, ALL);
  const endpoints = useApiList(listEndpoints, {}, ALL);
  const keys = useApiList(listKeys, {}, ALL);
  const groups = [
    { name: 'Applications', items: apps.data?.data.flatMap(appItems) ?? [] },
    {
      name: 'Domains',
      items:
        domains.data?.data.map(({ id, name }) => ({ id, label: name, keywords: id, href: `/domains/${id}` })) ?? [],
    },
    {
      name: 'Databases',
      items:
        databases.data?.data.map(({ id, name, applicationId }) => ({
          id,
          label: name,
          keywords: `${id} database`,
          href: `/apps/${applicationId}/databases`,
        })) ?? [],
    },
    {
      name: 'Webhook endpoints',
      items:
        endpoints.data?.data.map(({ id, url, description }) => ({
          id,
          label: url,
          description,
          keywords: id,
          href: `/developers/webhooks/${id}`,
        })) ?? [],
    },
    {
      name: 'API keys',
      items:
        keys.data?.data.map(({ id, name, publicKey }) => ({
          id,
          label: name,
          keywords: `${id} ${publicKey} key`,
          href: `/developers?q=${encodeURIComponent(name)}`,
        })) ?? [],
    },
  ];
  return { groups, isLoading: [apps, domains, databases, endpoints, keys].some(({ isPending }) => isPending) };
}

const [store, palette] = createSpotlight();

/** The command palette: finds resources, pages and actions, and opens them. */
export default function Palette({ close }: { close: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const { groups, isLoading } = useResources();
  useEffect(() => palette.open(), []);
  const found = searchGroups([...groups, ...STATIC_GROUPS], query);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={close}
      scrollable
      attributes={{ content: { 'aria-label': 'Command palette' } }}
    >
      <Spotlight.Search placeholder="Search or jump to…" aria-label="Search applications, domains, keys and actions" />
      <Spotlight.ActionsList>
        {found.map(({ name, items }) => (
          <Spotlight.ActionsGroup key={name} label={name}>
            {items.map(({ id, label, description, href }) => (
              <Spotlight.Action
                key={id}
                label={label}
                {...(description ? { description } : {})}
                onClick={() => navigate(href)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {found.length === 0 && <Spotlight.Empty>{isLoading ? 'Searching…' : 'No matches'}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

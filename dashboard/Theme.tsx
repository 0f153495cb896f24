import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { cssVariables, theme } from './ui/theme.ts';

/** Looks: light or dark as the system says, until somebody chooses. */
export const Theme = ({ children }: { children: ReactNode }) => (
  <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={cssVariables}>
    <Notifications position="bottom-right" autoClose={6000} />
    {children}
  </MantineProvider>
);

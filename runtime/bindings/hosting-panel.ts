import { createPanel } from '../../providers/hosting-panel/panel.ts';

export const panel = createPanel();

import { beforeEach, expect, test, vi } from 'vitest';
import { forgetDraft, forgetDrafts, keepDraft, readDraft } from './draft.ts';

const START = { name: '', years: '1', events: [] as string[] };

beforeEach(() => {
  // Node has no store of a tab; a plain object with its methods out of sight is one.
  const methods = {
    getItem(this: Record<string, string>, name: string) {
      return this[name] ?? null;
    },
    setItem(this: Record<string, string>, name: string, value: string) {
      this[name] = value;
    },
    removeItem(this: Record<string, string>, name: string) {
      delete this[name];
    },
  };
  vi.stubGlobal('sessionStorage', Object.create(methods));
});

test('what was typed is there again, on top of what the form begins with now', () => {
  keepDraft('order', START, { ...START, name: 'half a na' });
  expect(readDraft('order', { ...START, years: '2' })).toEqual({ name: 'half a na', years: '2', events: [] });
  expect(readDraft('another', START)).toBeUndefined();
});

test('nothing is kept of a form that is as it began, was sent, or belonged to whoever has signed out', () => {
  keepDraft('order', START, { ...START, name: 'x' });
  keepDraft('order', START, { ...START });
  expect(readDraft('order', START)).toBeUndefined();
  keepDraft('order', START, { ...START, name: 'x' });
  forgetDraft('order');
  expect(readDraft('order', START)).toBeUndefined();
  keepDraft('order', START, { ...START, name: 'x' });
  forgetDrafts();
  expect(readDraft('order', START)).toBeUndefined();
});

test('what is no draft, or one of another release of the form, does no harm', () => {
  sessionStorage.setItem('draft:order', 'no JSON');
  expect(readDraft('order', START)).toBeUndefined();
  sessionStorage.setItem('draft:order', '{"name":7,"events":"all","gone":"x","years":"3"}');
  expect(readDraft('order', START)).toEqual({ ...START, years: '3' });
});

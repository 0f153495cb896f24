import { beforeEach, expect, test, vi } from 'vitest';
import { clearDraft, clearDrafts, readDraft, saveDraft } from './drafts.ts';

const INITIAL_VALUES = { name: '', years: '1', events: [] as string[] };

beforeEach(() => {
  // Node has no sessionStorage: a plain object with inherited methods replaces it.
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

test('a draft is restored on top of the current initial values', () => {
  saveDraft('order', INITIAL_VALUES, { ...INITIAL_VALUES, name: 'half a na' });
  expect(readDraft('order', { ...INITIAL_VALUES, years: '2' })).toEqual({ name: 'half a na', years: '2', events: [] });
  expect(readDraft('another', INITIAL_VALUES)).toBeUndefined();
});

test('clears the draft of a form that is unchanged, was sent, or belonged to a signed-out user', () => {
  saveDraft('order', INITIAL_VALUES, { ...INITIAL_VALUES, name: 'x' });
  saveDraft('order', INITIAL_VALUES, { ...INITIAL_VALUES });
  expect(readDraft('order', INITIAL_VALUES)).toBeUndefined();
  saveDraft('order', INITIAL_VALUES, { ...INITIAL_VALUES, name: 'x' });
  clearDraft('order');
  expect(readDraft('order', INITIAL_VALUES)).toBeUndefined();
  saveDraft('order', INITIAL_VALUES, { ...INITIAL_VALUES, name: 'x' });
  clearDrafts();
  expect(readDraft('order', INITIAL_VALUES)).toBeUndefined();
});

test('ignores invalid drafts and those of another release of the form', () => {
  sessionStorage.setItem('draft:order', 'no JSON');
  expect(readDraft('order', INITIAL_VALUES)).toBeUndefined();
  sessionStorage.setItem('draft:order', '{"name":7,"events":"all","gone":"x","years":"3"}');
  expect(readDraft('order', INITIAL_VALUES)).toEqual({ ...INITIAL_VALUES, years: '3' });
});

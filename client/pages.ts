/** One page of a list, newest first. */
export interface Page<Item> {
  data: Item[];
  has_more: boolean;
  /** The cursor of the next page, if a filter left this page short. Otherwise the next page starts after the last item. */
  cursor?: string | undefined;
}

const idOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : undefined;

/**
 * A list. Await it for its first page, or iterate over it for all items; further pages are read when they are needed.
 *
 *     const { data, has_more } = await client.listApps({ limit: 10 });
 *     for await (const app of client.listApps()) console.log(app.name);
 */
export class List<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #read: (cursor?: string) => Promise<Page<Item>>;
  #first: Promise<Page<Item>> | undefined;

  /** @param read reads the page after a cursor, or the first page */
  constructor(read: (cursor?: string) => Promise<Page<Item>>) {
    this.#read = read;
  }

  #page(): Promise<Page<Item>> {
    this.#first ??= this.#read();
    return this.#first;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is meant to be awaited
  then<A = Page<Item>, B = never>(
    onFulfilled?: ((page: Page<Item>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(onFulfilled, onRejected);
  }

  /** Reads all items. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let page = await this.#page(); ; ) {
      yield* page.data;
      const next = page.cursor ?? idOf(page.data.at(-1));
      if (!page.has_more || next === undefined) return;
      page = await this.#read(next);
    }
  }
}

/** One page of a list, newest first. */
export interface Page<Item> {
  data: Item[];
  has_more: boolean;
  /** Cursor of the next page, where that does not begin behind the last item: a filter left out most of what was read. */
  cursor?: string | undefined;
}

const idOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : undefined;

/**
 * A list: await it for its first page, or iterate over it for all items, which reads further pages when they are needed.
 *
 *     const { data, has_more } = await client.listApps({ limit: 10 });
 *     for await (const app of client.listApps()) console.log(app.name);
 */
export class List<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #read: (cursor?: string) => Promise<Page<Item>>;
  #first: Promise<Page<Item>> | undefined;

  /** @param read reads the page behind a cursor, or the first one */
  constructor(read: (cursor?: string) => Promise<Page<Item>>) {
    this.#read = read;
  }

  #page(): Promise<Page<Item>> {
    this.#first ??= this.#read();
    return this.#first;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the list is what it is for
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

// SPDX-License-Identifier: Apache-2.0
// Names of categories and items from earlier responses. They save requests that would only fetch names.

export class KnownNames {
  #categories = new Map();
  #items = new Map();

  /** @param {{ id: string, name: string, icon?: string }[]} categories */
  add_categories(categories) {
    for (const category of categories) this.#categories.set(category.id, category);
  }

  /** @param {{ id: string, title: string }[]} items */
  add_items(items) {
    for (const { id, title } of items) this.#items.set(id, title);
    while (this.#items.size > 5000) this.#items.delete(this.#items.keys().next().value);
  }

  /** @param {string} id @returns {string} its name, or the id if the name is unknown */
  category(id) {
    return this.#categories.get(id)?.name || id;
  }

  /** @param {string} id @returns {string} */
  item(id) {
    return this.#items.get(id) || id;
  }
}

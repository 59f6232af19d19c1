// SPDX-License-Identifier: Apache-2.0
// Builds the tree of categories from their lists of subcategories, which are not guaranteed to form a tree.

const kMaxDepth = 12;

/**
 * @typedef {{ id: string, name: string, description: string, icon: string, item_count?: number,
 *             subcategories: string[] }} Category
 * @typedef {{ category: Category, children: Branch[], total: number }} Branch
 */

/**
 * Each category occurs once: below the first category that lists it, or at the top if none does. In a cycle, the
 * first category becomes the top.
 * @param {Category[]} categories
 * @returns {Branch[]}
 */
export function category_tree(categories) {
  const by_id = new Map(categories.map((category) => [category.id, category]));
  const inner = new Set(categories.flatMap(({ id, subcategories }) => subcategories.filter((other) => other !== id)));
  const placed = new Set();

  /** @param {Category} category @param {number} depth @returns {Branch} */
  const branch = (category, depth) => {
    placed.add(category.id);
    const children = [];
    for (const id of depth < kMaxDepth ? category.subcategories : []) {
      const child = by_id.get(id);
      if (child !== undefined && !placed.has(id)) children.push(branch(child, depth + 1));
    }
    const total = children.reduce((sum, child) => sum + child.total, category.item_count ?? 0);
    return { category, children, total };
  };

  const roots = categories.filter(({ id }) => !inner.has(id)).map((category) => branch(category, 0));
  for (const category of categories) if (!placed.has(category.id)) roots.push(branch(category, 0));
  return roots;
}

/** @param {Category[]} categories @param {string} id @returns {Category[]} those that list it as a subcategory */
export function parents_of(categories, id) {
  return categories.filter((category) => category.id !== id && category.subcategories.includes(id));
}

# SPDX-License-Identifier: Apache-2.0
"""Generates queries from the searched items, by fixed rules and a seed: equal items give equal queries.

A word is used if it has three to twenty letters from a to z and is in at least two items and at most a fifth of
them.
- one word: from a random item, so that frequent words occur in more queries;
- all words: two or three of one title, or of the content if the title is short;
- any word: two to four of one item;
- phrase: two or three consecutive words of one content;
- start of a word: three to five letters of a longer word;
- mistyped word: a word of six or more letters with one typing error, which no item contains.
"""
import collections
import random
import re

CLASSES = {"term": "one word", "and": "all words", "or": "any word", "phrase": "phrase", "prefix": "start of a word",
           "typo": "mistyped word"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TRIES = 1000  # per query; reached only if the items have no suitable words


def words_of(text):
    return re.findall(r"(?<![^\W_])[a-z]{3,20}(?![^\W_])", text.lower())


def mistyped(word, choices):
    """Returns the word with one typing error: a missing, extra or wrong letter, or two swapped letters."""
    at = choices.randrange(1, len(word) - 1)
    letter = choices.choice(LETTERS)
    return choices.choice([word[:at] + word[at + 1:], word[:at] + letter + word[at:],
                           word[:at] + letter + word[at + 1:], word[:at] + word[at + 1] + word[at] + word[at + 2:]])


class Queries:
    """Query generator. `items` are texts: a title and a content each."""

    def __init__(self, items, seed=1):
        self.items = items
        self.choices = random.Random(seed)
        in_items = collections.Counter(word for item in items for word in set(words_of(" ".join(item))))
        self.known = set(in_items)
        self.usable = {word for word, count in in_items.items() if 2 <= count <= max(2, len(items) // 5)}

    def by_class(self, count):
        generators = (self.one_word, self.all_words, self.any_word, self.phrase, self.prefix, self.typo)
        return {name: self.distinct_queries(generate, count) for name, generate in zip(CLASSES, generators)}

    def distinct_queries(self, generate, count):
        """Returns `count` different queries, or fewer if the items do not have enough."""
        found = {}
        for _ in range(count * TRIES):
            if len(found) == count:
                break
            words = generate()
            if words:
                found.setdefault(words)
        return list(found)

    def item(self):
        return self.choices.choice(self.items)

    def pick_words(self, words, least, most):
        """Returns a number of different usable words, in their order; None if there are fewer than `least`."""
        words = list(dict.fromkeys(word for word in words if word in self.usable))
        if len(words) < least:
            return None
        count = min(len(words), self.choices.randint(least, most))
        return [words[position] for position in sorted(self.choices.sample(range(len(words)), count))]

    def one_word(self):
        return " ".join(self.pick_words(words_of(" ".join(self.item())), 1, 1) or [])

    def all_words(self):
        title, content = self.item()
        return " ".join(self.pick_words(words_of(title), 2, 3) or self.pick_words(words_of(content), 2, 3) or [])

    def any_word(self):
        return " ".join(self.pick_words(words_of(" ".join(self.item())), 2, 4) or [])

    def phrase(self):
        words = self.item()[1].lower().split()
        length = self.choices.randint(2, 3)
        if len(words) < length:
            return ""
        at = self.choices.randrange(len(words) - length + 1)
        consecutive = words[at:at + length]
        return " ".join(consecutive) if all(word in self.usable for word in consecutive) else ""

    def prefix(self):
        word = self.one_word()
        return word[:self.choices.randint(3, min(5, len(word) - 1))] if len(word) > 3 else ""

    def typo(self):
        word = self.one_word()
        wrong = mistyped(word, self.choices) if len(word) > 5 else ""
        return wrong if wrong not in self.known else ""


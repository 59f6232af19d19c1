// SPDX-License-Identifier: Apache-2.0
// Xapian as a peer in the search engine benchmark. Indexes only stems, with positions; title terms count twice. A
// position gap between the parts of an item prevents phrases that span two parts. Xapian's own spelling suggestion
// corrects a mistyped word.
#include <xapian.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tests/bench/peers/line_peer.hpp"

namespace {

using kbase::bench::Answer;
using kbase::bench::Request;
using kbase::bench::WallWatch;

constexpr std::size_t kExcerptBytes = 240;
constexpr std::string_view kStemMark = "Z";

class XapianPeer {
 public:
  static std::string version() { return std::string("Xapian ") + Xapian::version_string(); }

  static void index(const std::string& items, const std::string& folder) {
    const std::string loose = folder + ".loose";
    ::setenv("XAPIAN_FLUSH_THRESHOLD", "100000", 1);
    {
      Xapian::WritableDatabase database(loose,
                                        Xapian::DB_CREATE_OR_OVERWRITE | Xapian::DB_DANGEROUS | Xapian::DB_NO_SYNC);
      Xapian::TermGenerator generator;
      generator.set_database(database);
      generator.set_flags(Xapian::TermGenerator::FLAG_SPELLING);
      generator.set_stemmer(Xapian::Stem("english"));
      generator.set_stemming_strategy(Xapian::TermGenerator::STEM_ALL_Z);
      kbase::bench::each_item(items, [&](const std::vector<std::string>& texts) { put(database, generator, texts); });
      database.commit();
    }
    Xapian::Database(loose).compact(folder, Xapian::Compactor::FULL);
    std::filesystem::remove_all(loose);
  }

  explicit XapianPeer(const std::string& folder) : database_(folder) {}

  Answer answer(const Request& request) {
    WallWatch watch;
    Xapian::Enquire enquire(database_);
    enquire.set_query(query(request));
    // Xapian knows the exact total only if it must examine every match.
    const Xapian::doccount at_least = request.counts() ? database_.get_doccount() : 0;
    const Xapian::MSet found = enquire.get_mset(0, static_cast<Xapian::doccount>(request.best), at_least);
    Answer answer;
    answer.total = request.counts() ? found.get_matches_estimated() : 0;
    if (request.makes_excerpts()) {
      watch = WallWatch();
      for (auto hit = found.begin(); hit != found.end(); ++hit, ++answer.total)
        found.snippet(hit.get_document().get_data(), kExcerptBytes, stem_);
    }
    answer.elapsed = watch.elapsed();
    for (auto hit = found.begin(); hit != found.end(); ++hit) answer.hits.push_back(*hit - 1);
    return answer;
  }

 private:
  static void put(Xapian::WritableDatabase& database, Xapian::TermGenerator& generator,
                  const std::vector<std::string>& texts) {
    Xapian::Document document;
    generator.set_document(document);
    generator.set_termpos(0);
    generator.index_text(texts[0], 2);
    generator.increase_termpos();
    generator.index_text(texts[1]);
    generator.increase_termpos();
    generator.index_text(texts[2]);
    document.set_data(texts[2]);
    database.add_document(document);
  }

  Xapian::Query query(const Request& request) const {
    std::vector<Xapian::Query> words;
    for (const std::string& word : request.words)
      words.push_back(word_query(request.mode, Xapian::Unicode::tolower(word)));
    const auto join = request.mode == "phrase" ? Xapian::Query::OP_PHRASE
                      : request.mode == "or"   ? Xapian::Query::OP_OR
                                               : Xapian::Query::OP_AND;
    return {join, words.begin(), words.end()};
  }

  Xapian::Query word_query(const std::string& mode, std::string word) const {
    const std::string mark(kStemMark);
    if (mode == "prefix") return {Xapian::Query::OP_WILDCARD, mark + word};
    if (mode == "typo")
      if (std::string meant = database_.get_spelling_suggestion(word, 1); !meant.empty()) word = std::move(meant);
    return Xapian::Query(mark + stem_(word));
  }

  const Xapian::Database database_;
  const Xapian::Stem stem_{"english"};
};

}  // namespace

int main(int count, char** arguments) {
  try {
    return kbase::bench::run_peer<XapianPeer>({arguments + 1, arguments + count});
  } catch (const Xapian::Error& error) {
    std::cerr << error.get_description() << '\n';
    return 1;
  }
}

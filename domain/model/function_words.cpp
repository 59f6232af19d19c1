// SPDX-License-Identifier: Apache-2.0
#include "domain/model/function_words.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::model {
namespace {

/// The function words of the languages that have a stemmer, in lower case. No negations: people paste "does not exist".
/// A star marks a word that is a content word or a name in another of the languages.
constexpr std::array<std::string_view, 28> kLanguages = {
    // Arabic
    "في من على إلى عن مع هل ما ماذا متى أين كيف لماذا هو هي هذا هذه ذلك تلك التي الذي أن إن كان كانت أو ثم قد كل",
    // Armenian
    "և է են եմ ես մեր ինչ ինչպես որ որը ով ուր երբ այս այդ այն մի կամ համար մեջ վրա հետ",
    // Basque
    "eta edo bat* da dira nola zer nor* non* noiz zergatik nire hau hori hura baina ere du* dut",
    // Catalan
    "el* la* els les un* una* i* o* de* del* dels a* al* als en* amb per* com què qui quan on* és són ser* té* "
    "meu meva aquest aquesta puc pot que* es*",
    // Danish
    "og i* en* et* at* er* det den* de* der* som* på med til* for* fra af* om* hvordan hvad hvor hvornår hvorfor "
    "hvem kan* jeg du* min* mit* vi* han* skal* være har* blev eller",
    // Dutch
    "de* het een en* of* in* op* van* te* ten* ter* met* voor* door* bij naar uit aan om* hoe* wat* waar* wanneer "
    "waarom wie welke ik je* jij mijn* we* wij is* zijn* was* kan* kun* moet* heb hebben heeft dit* dat die* er* "
    "worden wordt",
    // English
    "a* an* the and or* but if of to for* from in* on* at* by with about as* into is* are* was* were be* been am* "
    "do* does did how what when where which who why whom whose i* me* my we* our you your he she they them their "
    "it its this that these those there can* could should would will* shall may* might must have has* had i'm "
    "i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd "
    "we'll they're they've they'd they'll that's that'll there's here's what's what're how's how'd where's when's "
    "why's who's who'd let's don't doesn't didn't can't isn't aren't wasn't weren't won't wouldn't couldn't "
    "shouldn't mustn't needn't haven't hasn't hadn't dont doesnt didnt isnt whats hows vs versus",
    // Finnish
    "ja tai on* se* ne* että miten mikä mitä missä milloin miksi kuka minun minä sinä hän me* te* he* voin voi* "
    "pitää olla oli* ovat kun* kuin",
    // French
    "le* la* les* l' un* une du* de* des* d' et* ou* à au aux* en* dans* par* pour* sur* avec* sans est* sont "
    "était être a* ai* ont comment que* quel quelle quels quelles quand où pourquoi qui* je* j' tu* il* elle on* "
    "nous vous ils elles mon* ma* mes* ton* ce* cet cette ces* ne* se* peut puis* faire c'est qu'est-ce est-ce",
    // German
    "der* die* das den* dem des* ein eine einen einem einer und oder in* im* an* am* auf* aus* bei mit* nach von* "
    "vom zu* zum zur für durch über um* ist sind war* waren sein* wird werden wie* was* wo* wann warum wer* "
    "welche welcher welches ich du* er* sie* es* wir* ihr* mein meine meinen kann* können muss soll* hat* haben "
    "habe man* dieser diese dieses",
    // Greek
    "ο η το οι τα του της των τον την και ή σε στο στη στην στον στα με από για πώς πως τι πού που πότε γιατί "
    "ποιος ποια ποιο είναι ήταν εγώ μου σου μας να θα",
    // Hindi
    "का की के को में से पर और या है हैं था थी थे यह वह ये वे मैं हम आप क्या कैसे कब कहाँ कहां क्यों कौन मेरा मेरी "
    "मेरे अपना अपनी अपने लिए तक ने एक करूँ करूं करें",
    // Hungarian
    "a* az* egy és vagy hogyan hogy mi* mit* hol* mikor miért ki* melyik van* vannak volt* én te* ő az* ez* is* "
    "lehet kell* meg*",
    // Indonesian
    "yang dan* atau di* ke* dari* untuk dengan* pada* adalah itu* ini* saya anda* bagaimana apa* kapan mengapa "
    "kenapa siapa bisa* dapat* akan* ada*",
    // Irish
    "an* na* agus nó i* ar* le* do* go* is* tá bhfuil conas cad* cá cathain cén cé mé tú sé sí mo* sa* ag* ó",
    // Italian
    "il lo* la* i* gli le* un* uno una* di* del* dello della dei degli delle a* al* allo alla ai* e* o* in* nel "
    "nella con* per* su* da* dal* come* che* cosa* cos'è chi* quando dove perché quale quali è sono essere era* "
    "io* tu* mio mia* posso si* ho ha* questo questa",
    // Lithuanian
    "ir* ar* kaip kas* kur* kada kodėl kuris yra buvo aš tu* mano su* iš į ant* už prie apie šis ši tai*",
    // Nepali
    "को का की मा बाट ले लाई र वा छ छन् हो हुन् के कसरी कहिले कहाँ किन कसले मेरो म हामी तपाईं यो त्यो लागि",
    // Norwegian
    "og i* en* et* ei* at* er* det den* de* der* som* på med til* for* fra av* om* hvordan hva hvor når hvorfor "
    "hvem kan* jeg du* min* mitt vi* han* skal* være har* ble eller",
    // Portuguese
    "o* a* os* as* um* uma de* do* da* dos* das* e* ou* em* no* na* nos* nas* por* pelo pela para* com* como* "
    "que* quem quando onde porque qual* quais é são ser* foi era* eu* meu minha posso se* isso este* esta*",
    // Romanian
    "și si* sau un* o* al* ale* lui* în in* la* pe* de* din* cu* pentru cum* ce* cine când unde de* care* este "
    "sunt era* eu* meu mea* pot* să se*",
    // Russian
    "и в на с со к ко у о об от до из за по для при или что как где когда почему кто какой какая какие это этот "
    "эта я мы вы он она они мой моя мне меня ли же бы быть есть был была было можно",
    // Serbian
    "и или у на са за од до по из о да ли како шта што где када зашто ко који која је су био ја ми ви он она мој "
    "моја се kako šta gde kada zašto koji koja je* su* ja* moj moja se* za* od* da* li*",
    // Spanish
    "el* la* los* las* un* una* unos unas de* del* y* o* u* en* con* por* para* sin* sobre* a* al* es* son* era* "
    "ser* está están cómo como* qué que* quién cuándo cuando dónde donde cuál cuáles yo* tú mi* mis* me* se* "
    "puedo puede lo*",
    // Swedish
    "och i* en* ett* att* är det den* de* där som* på med till* för från av* om* hur vad var* när varför vem kan* "
    "jag du* min* mitt vi* han* ska* vara* har* blev eller",
    // Tamil
    "மற்றும் அல்லது ஒரு இது அது இந்த அந்த எப்படி என்ன எங்கே எப்போது ஏன் யார் நான் என் நாம் உள்ள என்று",
    // Turkish
    "ve* veya bir* bu* şu o* ne* nasıl nerede nereye zaman* neden niçin kim* hangi için ile mi* mı mu* mü ben* "
    "benim sen* biz* de* da* mıdır midir",
    // Yiddish
    "און אָדער דער די דאָס אַ אין אויף מיט פֿון צו איז זענען װי װאָס װוּ װען פֿאַרװאָס װער איך דו ער זי מיר",
};

using Languages = std::bitset<kLanguages.size()>;

struct Entry {
  Languages languages, sure;  // in which it is a function word; in which it is one alone
};

const TextMap<Entry>& all_function_words() {
  static const TextMap<Entry> kWords = [] {
    TextMap<Entry> words;
    for (std::size_t language = 0; language < kLanguages.size(); ++language) {
      std::string_view rest = kLanguages[language];
      while (!rest.empty()) {
        std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        const bool is_sure = !word.ends_with('*');
        if (!is_sure) word.remove_suffix(1);
        Entry& entry = words[std::string(word)];
        entry.languages.set(language);
        if (is_sure) entry.sure.set(language);
      }
    }
    return words;
  }();
  return kWords;
}

/// Lower case of Latin-1, Greek, Cyrillic and Armenian letters: of all the words above.
std::string lower_case(std::string_view text) {
  std::string lower;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0xC3 || byte > 0xD5 || i + 1 == text.size()) {
      lower += ascii::to_lower(text[i]);
      continue;
    }
    unsigned code = (byte & 0x1FU) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU);
    if ((code >= 0xC0 && code <= 0xDE) || (code >= 0x391 && code <= 0x3A9) || (code >= 0x410 && code <= 0x42F))
      code += 0x20;
    else if (code >= 0x531 && code <= 0x556)
      code += 0x30;
    else if (code >= 0x100 && code <= 0x17F && code % 2 == 0 && code < 0x138)
      code += 1;
    lower += static_cast<char>(0xC0U | code >> 6);
    lower += static_cast<char>(0x80U | (code & 0x3FU));
  }
  return lower;
}

/// Returns the length in bytes of the punctuation mark at the start of `text`; 0: it begins with another character.
std::size_t punctuation_length(std::string_view text) {
  constexpr std::string_view kMarks[] = {"¿", "¡", "“", "”",  "„",  "«",  "»",  "‘",
                                         "…", "–", "—", "？", "！", "，", "。", "、"};
  if (text.empty()) return 0;
  if (!utf8::may_be_in_word(text.front())) return text.front() == '\'' ? 0 : 1;
  for (const std::string_view mark : kMarks)
    if (text.starts_with(mark)) return mark.size();
  return 0;
}

/// The word without punctuation around it, with a plain apostrophe, in lower case.
std::string plain(std::string_view text) {
  while (const std::size_t length = punctuation_length(text)) text.remove_prefix(length);
  std::size_t end = 0;  // of the last character that is no mark
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = punctuation_length(text.substr(at));
    at += mark != 0 ? mark : std::max<std::size_t>(1, utf8::sequence_length(text.substr(at)));
    if (mark == 0) end = at;
  }
  std::string word = lower_case(text.substr(0, end));
  constexpr std::string_view kTypographic = "\u2019";
  for (std::size_t at = word.find(kTypographic); at != std::string::npos; at = word.find(kTypographic))
    word.replace(at, kTypographic.size(), "'");
  return word;
}

bool has_lower_case(const QueryNode& node) {
  return std::any_of(node.text.begin(), node.text.end(), ascii::is_lower) ||
         std::any_of(node.children.begin(), node.children.end(), has_lower_case);
}

bool is_abbreviation(std::string_view text) {
  return text.size() > 1 && std::all_of(text.begin(), text.end(), ascii::is_upper);
}

}  // namespace

void mark_function_words(QueryNode& root) {
  const bool has_case = has_lower_case(root);
  std::vector<std::pair<QueryNode*, const Entry*>> found;
  Languages sure;
  std::array<unsigned, kLanguages.size()> counts{};
  bool has_others = false;
  for (QueryNode& node : root.children) {
    const bool is_word = node.kind == QueryNode::Kind::Word && !(has_case && is_abbreviation(node.text));
    const auto entry = is_word ? all_function_words().find(plain(node.text)) : all_function_words().end();
    if (entry == all_function_words().end()) {
      has_others = has_others || node.kind != QueryNode::Kind::Not;
      continue;
    }
    found.emplace_back(&node, &entry->second);
    sure |= entry->second.sure;
    if (std::count_if(found.begin(), found.end(), [&](const auto& each) { return each.second == &entry->second; }) == 1)
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += entry->second.languages[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 1) sure.set(i);
  const auto is_function_word = [&](const auto& each) { return (each.second->languages & sure).any(); };
  if (!has_others && std::all_of(found.begin(), found.end(), is_function_word)) return;
  for (const auto& each : found) each.first->is_optional = is_function_word(each);
}

}  // namespace kbase::model

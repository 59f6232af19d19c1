// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.LineNumberReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.AnalyzerWrapper;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.uhighlight.UnifiedHighlighter;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Version;

/**
 * Lucene as a peer of the search engine: the protocol is described in tests/bench/search_peer.cpp.
 *
 * <p>One field has title (twice, as its weight), tags and content, each value far from the next, so that no phrase spans
 * two. With --fields, title (with twice the weight), tags and content are three fields, and a word matches in any of
 * them. The content is stored for excerpts.
 */
public final class LucenePeer {
  /** A searched field, the weight of its words, and the columns of an item that it has. */
  private record Text(String field, float weight, int... columns) {}

  private static final String TEXT = "text";
  private static final List<Text> ONE_FIELD = List.of(new Text(TEXT, 1, 0, 0, 1, 2));
  private static final List<Text> THREE_FIELDS =
      List.of(new Text("title", 2, 0), new Text("tags", 1, 1), new Text(TEXT, 1, 2));
  private static List<Text> texts = ONE_FIELD;

  private static final String CONTENT = "content";
  private static final String NUMBER = "number";
  private static final int BUFFER_MB = 512;

  /** English stems, no stop words. */
  private static final Analyzer ENGLISH = new EnglishAnalyzer(CharArraySet.EMPTY_SET);

  private static final Analyzer APART =
      new AnalyzerWrapper(Analyzer.PER_FIELD_REUSE_STRATEGY) {
        @Override
        protected Analyzer getWrappedAnalyzer(String field) {
          return ENGLISH;
        }

        @Override
        public int getPositionIncrementGap(String field) {
          return 100;
        }
      };

  private static void index(String items, String folder) throws Exception {
    int threads = Integer.parseInt(System.getenv().getOrDefault("KBASE_PEER_THREADS", "1"));
    var config = new IndexWriterConfig(APART)
        .setMergeScheduler(threads == 1 ? new SerialMergeScheduler() : new ConcurrentMergeScheduler())
        .setRAMBufferSizeMB(BUFFER_MB)
        .setUseCompoundFile(false);
    var pool = Executors.newFixedThreadPool(threads);
    try (var directory = FSDirectory.open(Path.of(folder));
        var writer = new IndexWriter(directory, config);
        var rows = new LineNumberReader(Files.newBufferedReader(Path.of(items)))) {
      Callable<Void> task = () -> addDocuments(rows, writer);
      for (var added : pool.invokeAll(Collections.nCopies(threads, task))) {
        added.get();
      }
      writer.forceMerge(1);
      writer.commit();
    } finally {
      pool.shutdown();
    }
  }

  private static Void addDocuments(LineNumberReader rows, IndexWriter writer) throws IOException {
    while (true) {
      String line;
      long number;
      synchronized (rows) {
        number = rows.getLineNumber();
        line = rows.readLine();
      }
      if (line == null) {
        return null;
      }
      writer.addDocument(document(line.split("\t", 3), number));
    }
  }

  private static Document document(String[] parts, long number) {
    var document = new Document();
    for (Text text : texts) {
      for (int column : text.columns) {
        document.add(new TextField(text.field, parts[column], Field.Store.NO));
      }
    }
    document.add(new StoredField(CONTENT, parts[2]));
    document.add(new NumericDocValuesField(NUMBER, number));
    return document;
  }

  private static List<String> words(String text) throws IOException {
    var words = new ArrayList<String>();
    try (var stream = ENGLISH.tokenStream(TEXT, text)) {
      var word = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        words.add(word.toString());
      }
      stream.end();
    }
    return words;
  }

  private static Query query(String mode, String text) throws IOException {
    if (mode.equals("prefix")) {
      return inAnyField(field -> new PrefixQuery(new Term(field, text.toLowerCase())));
    }
    List<String> words = words(text);
    if (mode.equals("typo") && words.size() == 1) {
      return inAnyField(field -> new FuzzyQuery(new Term(field, words.get(0)), 1));
    }
    if (mode.equals("phrase")) {
      return inAnyField(field -> new PhraseQuery(field, words.toArray(String[]::new)));
    }
    if (mode.equals("and") && words.size() > 1) {
      var all = new BooleanQuery.Builder();
      for (String word : words) {
        all.add(inAnyField(field -> new TermQuery(new Term(field, word))), Occur.MUST);
      }
      return all.build();
    }
    // Any word: one flat union.
    return union(words.stream().flatMap(word -> inEachField(field -> new TermQuery(new Term(field, word)))).toList());
  }

  private static Query inAnyField(Function<String, Query> make) {
    return union(inEachField(make).toList());
  }

  /** Returns a query for each searched field, with its weight. */
  private static Stream<Query> inEachField(Function<String, Query> make) {
    return texts.stream().map(text ->
        text.weight == 1 ? make.apply(text.field) : new BoostQuery(make.apply(text.field), text.weight));
  }

  private static Query union(List<Query> queries) {
    if (queries.size() == 1) {
      return queries.get(0);
    }
    var any = new BooleanQuery.Builder();
    queries.forEach(query -> any.add(query, Occur.SHOULD));
    return any.build();
  }

  private final IndexSearcher searcher;
  private final UnifiedHighlighter highlighter;

  private LucenePeer(DirectoryReader reader) {
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null); // every answer is worked out
    highlighter = UnifiedHighlighter.builderWithoutSearcher(ENGLISH).withMaxLength(Integer.MAX_VALUE - 1).build();
  }

  private record Found(long total, ScoreDoc[] hits) {}

  /**
   * Returns the best hits, and their total if requested. A collector that also counts must visit every match, which costs
   * less than a second look for queries that match little; for the others the best are found by skipping, and counted
   * apart.
   */
  private Found find(Query query, String mode, int best, boolean counts) throws IOException {
    if (counts && (mode.equals("and") || mode.equals("phrase"))) {
      TopDocs top = searcher.search(query, new TopScoreDocCollectorManager(best, Integer.MAX_VALUE));
      return new Found(total(top), top.scoreDocs);
    }
    TopDocs top = searcher.search(query, new TopScoreDocCollectorManager(best, best));
    return new Found(counts ? searcher.count(query) : 0, top.scoreDocs);
  }

  /** A field in Lucene 9, a method in 10; both print "N hits". */
  private static long total(TopDocs top) {
    String text = top.totalHits.toString();
    return Long.parseLong(text.substring(0, text.indexOf(' ')));
  }

  private long excerpts(Query query, ScoreDoc[] hits) throws IOException {
    var stored = searcher.storedFields();
    for (ScoreDoc hit : hits) {
      String content = stored.document(hit.doc, Set.of(CONTENT)).get(CONTENT);
      highlighter.highlightWithoutSearcher(TEXT, query, content, 1);
    }
    return hits.length;
  }

  private String answer(String request) throws IOException {
    String[] parts = request.split("\t", 4);
    long start = System.nanoTime();
    Query query = query(parts[1], parts[3]);
    Found found = find(query, parts[1], Integer.parseInt(parts[2]), parts[0].equals("count"));
    long total = found.total;
    if (parts[0].equals("snip")) {
      start = System.nanoTime();
      total = excerpts(query, found.hits);
    }
    long nanoseconds = System.nanoTime() - start;
    return total + "\t" + nanoseconds + "\t" + numbers(found.hits) + "\n";
  }

  private String numbers(ScoreDoc[] hits) throws IOException {
    List<LeafReaderContext> leaves = searcher.getIndexReader().leaves();
    var numbers = new StringJoiner(",");
    for (ScoreDoc hit : hits) {
      LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(hit.doc, leaves));
      var column = leaf.reader().getNumericDocValues(NUMBER);
      column.advanceExact(hit.doc - leaf.docBase);
      numbers.add(Long.toString(column.longValue()));
    }
    return numbers.toString();
  }

  private static void answerAll(String folder) throws IOException {
    try (var reader = DirectoryReader.open(FSDirectory.open(Path.of(folder)))) {
      var peer = new LucenePeer(reader);
      var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        answers.print(peer.answer(line));
        answers.flush();
      }
    }
  }

  public static void main(String[] options) throws Exception {
    boolean apart = options.length > 0 && options[0].equals("--fields");
    texts = apart ? THREE_FIELDS : ONE_FIELD;
    String[] arguments = apart ? Arrays.copyOfRange(options, 1, options.length) : options;
    String command = arguments.length > 0 ? arguments[0] : "";
    if (command.equals("version")) {
      System.out.println("Apache Lucene " + Version.LATEST + ", Java " + Runtime.version().feature());
    } else if (command.equals("index") && arguments.length == 3) {
      index(arguments[1], arguments[2]);
    } else if (command.equals("query") && arguments.length == 2) {
      answerAll(arguments[1]);
    } else {
      System.err.println("usage: LucenePeer [--fields] version | index ITEMS FOLDER | query FOLDER");
      System.exit(2);
    }
  }
}

import cc.mallet.topics.ParallelTopicModel;
import cc.mallet.types.Alphabet;
import cc.mallet.types.FeatureSequence;
import cc.mallet.types.Instance;
import cc.mallet.types.InstanceList;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Trains MALLET's ParallelTopicModel, what train-topics runs, in steps, and writes its word counts between them.
 *
 * MalletRace CORPUS SNAPSHOTS TOPICS BETA THREADS SEED LIMIT SWEEP...
 */
public final class MalletRace {
  private static final double ALPHA_SUM = 50;

  private static ByteBuffer read(Path path) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static InstanceList documents(Path corpus) throws IOException {
    ByteBuffer words = read(corpus.resolve("train.words.bin"));
    ByteBuffer offsets = read(corpus.resolve("train.offsets.bin"));
    String text = new String(Files.readAllBytes(corpus.resolve("meta.json")));
    int vocabulary = Integer.parseInt(text.replaceAll("(?s).*\"words\": *(\\d+).*", "$1"));
    Alphabet alphabet = new Alphabet();
    for (int word = 0; word < vocabulary; ++word) {
      alphabet.lookupIndex(Integer.toString(word), true);
    }
    InstanceList list = new InstanceList(alphabet, null);
    for (int d = 0; d + 1 < offsets.capacity() / 8; ++d) {
      int begin = (int) offsets.getLong(8 * d);
      int[] document = new int[(int) offsets.getLong(8 * (d + 1)) - begin];
      for (int i = 0; i < document.length; ++i) {
        document[i] = words.getInt(4 * (begin + i));
      }
      list.add(new Instance(new FeatureSequence(alphabet, document), null, Integer.toString(d), null));
    }
    return list;
  }

  /** Triples of word, topic and count, little-endian. */
  private static void write(ParallelTopicModel model, Path path) throws IOException {
    try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path.toFile()), 1 << 20))) {
      for (int word = 0; word < model.numTypes; ++word) {
        for (int entry : model.typeTopicCounts[word]) {
          if (entry == 0) {
            break;
          }
          out.writeInt(Integer.reverseBytes(word));
          out.writeInt(Integer.reverseBytes(entry & model.topicMask));
          out.writeInt(Integer.reverseBytes(entry >> model.topicBits));
        }
      }
    }
  }

  /** A field of /proc/self/status in bytes. */
  private static long status(String field) throws IOException {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith(field + ":")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    return 0;
  }

  private static void forgetPeak() throws IOException {
    Files.write(Paths.get("/proc/self/clear_refs"), "5".getBytes());
  }

  public static void main(String[] arguments) throws IOException {
    Path snapshots = Paths.get(arguments[1]);
    int topics = Integer.parseInt(arguments[2]);
    int threads = Integer.parseInt(arguments[4]);
    int seed = Integer.parseInt(arguments[5]);
    double limit = Double.parseDouble(arguments[6]);
    Logger.getLogger("").setLevel(Level.WARNING);
    ParallelTopicModel.logger.setLevel(Level.WARNING);
    ParallelTopicModel model = new ParallelTopicModel(topics, ALPHA_SUM, Double.parseDouble(arguments[3]));
    model.setNumThreads(threads);
    model.setTopicDisplay(0, 0);
    model.setOptimizeInterval(0);
    model.printLogLikelihood = false;
    model.setRandomSeed(seed);
    model.addInstances(documents(Paths.get(arguments[0])));
    System.gc();
    forgetPeak();
    System.out.printf("{\"event\": \"start\", \"version\": \"2.0.7\", \"detail\": \"%d thread%s, heap of %d MiB at most\", "
        + "\"loaded_bytes\": %d}%n", threads, threads > 1 ? "s" : "", Runtime.getRuntime().maxMemory() >> 20, status("VmRSS"));
    double seconds = 0;
    long peak = 0;
    int done = 0;
    for (int i = 7; i < arguments.length && seconds < limit; ++i) {
      int goal = Integer.parseInt(arguments[i]);
      while (done < goal && seconds < limit) {
        int sweeps = goal - done;
        if (done > 0) {
          sweeps = Math.min(sweeps, Math.max(1, (int) ((limit - seconds) * done / seconds)));
        }
        // A step draws from a generator of its own: with one seed each would repeat the last one's numbers.
        model.setRandomSeed(seed + 1 + done);
        model.setNumIterations(sweeps);
        long begin = System.nanoTime();
        model.estimate();
        seconds += (System.nanoTime() - begin) * 1e-9;
        done += sweeps;
      }
      peak = Math.max(peak, status("VmHWM"));
      write(model, snapshots.resolve(done + ".counts"));
      System.out.printf("{\"event\": \"snapshot\", \"sweep\": %d, \"seconds\": %.6f, \"file\": \"%d.counts\", "
          + "\"peak_bytes\": %d}%n", done, seconds, done, peak);
      forgetPeak();
    }
    System.out.printf("{\"event\": \"end\", \"sweeps\": %d, \"seconds\": %.6f}%n", done, seconds);
  }
}

package io.muster.extender.core.decision.terms;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.query.LearnedRuns;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How long gangs of one kin have run: those whose names differ in a number or a generated end only.
 * The median of the last few is taken for the next one; the last of all kinds are kept for guesses
 * about others. Kept in memory. Confined to the decision thread.
 */
public final class RunTimes {

  private static final int KEPT_OF_EACH = 5;
  private static final int KEPT_OF_ALL = 50;
  private static final int MOST_KIN = 10_000;

  /** What owners put at the end of the names that they make: a number, or five or ten letters. */
  private static final Pattern MADE_UP =
      Pattern.compile("(-(\\d+|[bcdfghjklmnpqrstvwxz2456789]{5}|[0-9a-f]{8,10}))+$");

  /** The last few of a kin, and their median: it is asked for far more often than it changes. */
  private static final class Known {
    private final ArrayDeque<Duration> last = new ArrayDeque<>();
    private Duration median = Duration.ZERO;

    void add(Duration ran) {
      last.addLast(ran);
      if (last.size() > KEPT_OF_EACH) {
        last.removeFirst();
      }
      median = last.stream().sorted().toList().get(last.size() / 2);
    }
  }

  private final Map<String, Known> byKin =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
          return size() > MOST_KIN;
        }
      };

  private final ArrayDeque<Duration> last = new ArrayDeque<>();

  /** A gang of that kin has run so long. */
  public void note(String kin, Duration ran) {
    byKin.computeIfAbsent(kin, _ -> new Known()).add(ran);
    last.addLast(ran);
    if (last.size() > KEPT_OF_ALL) {
      last.removeFirst();
    }
  }

  public Optional<Duration> usual(String kin) {
    return Optional.ofNullable(byKin.get(kin)).map(known -> known.median);
  }

  /** What is known of all. */
  public LearnedRuns runs() {
    var usual = new HashMap<String, Duration>();
    byKin.forEach((kin, known) -> usual.put(kin, known.median));
    return new LearnedRuns(usual, List.copyOf(last));
  }

  /** Goes on from what another knows. */
  public void takeOver(LearnedRuns runs) {
    runs.usual().forEach((kin, ran) -> byKin.computeIfAbsent(kin, _ -> new Known()).add(ran));
    last.addAll(runs.last());
  }

  /** What gangs of one kin have in common. */
  public static String kin(GangId gang) {
    return gang.namespace() + "/" + MADE_UP.matcher(gang.name()).replaceFirst("");
  }
}

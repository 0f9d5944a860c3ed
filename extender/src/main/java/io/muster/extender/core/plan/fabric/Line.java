package io.muster.extender.core.plan.fabric;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Domains beside one another, by how many segments each holds. Not safe for concurrent use. */
final class Line {

  private static final int NOT = -1;

  private final int[] holds;
  private final int from;

  /** The domains, the one that holds the least first; of equal ones that with the least room. */
  private final int[] sorted;

  /** What the first so many of those that hold most hold together. */
  private final long[] sums;

  Line(int[] holds, long[] room, int from, int to) {
    this.holds = holds;
    this.from = from;
    sorted =
        IntStream.range(from, to)
            .boxed()
            .sorted(
                Comparator.comparingInt((Integer domain) -> holds[domain])
                    .thenComparingLong(domain -> room[domain]))
            .mapToInt(Integer::intValue)
            .toArray();
    sums = new long[sorted.length + 1];
    for (int i = 0; i < sorted.length; i++) {
      sums[i + 1] = sums[i] + holds[most(i)];
    }
  }

  /** The domain that holds the n-th most. */
  private int most(int n) {
    return sorted[sorted.length - 1 - n];
  }

  /** How few of them hold so many segments; {@link #NOT} if all do not. */
  int fewest(long segments) {
    if (sums[sorted.length] < segments) {
      return NOT;
    }
    int at = Arrays.binarySearch(sums, segments);
    int first = at < 0 ? -at - 1 : at;
    while (first > 0 && sums[first - 1] >= segments) {
      first--;
    }
    return first;
  }

  /** The same of the others. */
  int fewestWithout(int domain, long segments) {
    if (segments <= 0) {
      return 0;
    }
    int few = fewest(segments);
    // Those that hold more than the domain come before it, so it is in the way only behind them.
    if (few != NOT && holds[most(few - 1)] > holds[domain]) {
      return few;
    }
    int with = fewest(segments + holds[domain]);
    return with == NOT ? NOT : with - 1;
  }

  /**
   * So many segments among so many domains, as evenly as can be, and in those with the least room
   * that hold their shares; beside them one that holds fewer than its nodes would.
   *
   * @param host that one; {@link #NOT}: there is none
   * @param held how many the host holds
   * @return by domain
   */
  int[] share(int segments, int others, int host, int held) {
    int[] caps = new int[others + (host == NOT ? 0 : 1)];
    int n = 0;
    for (int i = 0; n < others; i++) {
      if (most(i) != host) {
        caps[n++] = holds[most(i)];
      }
    }
    if (host != NOT) {
      caps[n] = held;
    }
    var even = even(segments, caps);
    var result = new int[sorted.length];
    if (host != NOT) {
      result[host - from] = even[n];
    }
    give(Arrays.copyOf(even, n), host, result);
    return result;
  }

  /** The largest shares that differ least, each within its cap. */
  private static int[] even(int segments, int[] caps) {
    var shares = new int[caps.length];
    var order =
        IntStream.range(0, caps.length)
            .boxed()
            .sorted(Comparator.comparingInt(i -> caps[i]))
            .mapToInt(Integer::intValue)
            .toArray();
    int left = segments;
    for (int n = 0; n < order.length; n++) {
      int share = Math.min(caps[order[n]], left / (order.length - n));
      shares[order[n]] = share;
      left -= share;
    }
    return shares;
  }

  /** Each share, the largest first, goes to the domain with the least room that holds it. */
  private void give(int[] shares, int host, int[] result) {
    Arrays.sort(shares);
    var isUsed = new boolean[sorted.length];
    for (int i = shares.length - 1; i >= 0 && shares[i] > 0; i--) {
      int at = 0;
      while (isUsed[at] || sorted[at] == host || holds[sorted[at]] < shares[i]) {
        at++;
      }
      isUsed[at] = true;
      result[sorted[at] - from] = shares[i];
    }
  }
}

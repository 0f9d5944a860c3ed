package io.muster.extender.core.plan.fabric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Divides members that are alike and follow one another among the domains of a {@link DomainTree}:
 * each depth has a segment size, and every segment is in one domain of its depth. The last segment
 * may be shorter.
 *
 * <p>What fits is found by counting: a domain holds as many whole segments as its nodes, or the
 * domains in it, hold together. Only the short rest at the end is of another size; where it goes is
 * tried for every domain. So a division is found if and only if there is one.
 *
 * <p>Of the divisions those are chosen that use the fewest domains of the outermost depth; where
 * one holds all, those that use the fewest domains in it, and so on; then those with the most even
 * numbers of segments; then the domains with the least room. Where several are used, each gets
 * members that follow one another, so that as few neighbours as possible are in different ones. Not
 * safe for concurrent use.
 */
public final class Division {

  private static final int NOT = -1;

  /** So many members that follow one another go to the nodes of this domain of the last depth. */
  public record Range(int domain, int members) {}

  private final DomainTree tree;
  private final int[] sizes;
  private final int members;

  /** For each depth and domain how many members, and how many whole segments of it, it holds. */
  private final long[][] room;

  private final int[][] whole;

  /** The same of whole segments beside the rest at the end; {@link #NOT}: not even that. */
  private final int[][] besideRest;

  /**
   * @param sizes for each depth the size of the segments that must be in one domain of it; each is
   *     a multiple of the next one, which is that of the domains within
   * @param capacity how many members each node takes, by slot
   */
  public Division(DomainTree tree, int[] sizes, int[] capacity, int members) {
    this.tree = tree;
    this.sizes = sizes.clone();
    this.members = members;
    int depths = tree.depths();
    room = new long[depths][];
    whole = new int[depths][];
    besideRest = new int[depths][];
    for (int depth = depths - 1; depth >= 0; depth--) {
      count(depth, capacity);
    }
  }

  private void count(int depth, int[] capacity) {
    int domains = tree.size(depth);
    room[depth] = new long[domains];
    whole[depth] = new int[domains];
    besideRest[depth] = new int[domains];
    boolean isLast = depth == tree.depths() - 1;
    int within = isLast ? 1 : sizes[depth + 1];
    int factor = sizes[depth] / within;
    int rest = rest(depth) / within;
    for (int domain = 0; domain < domains; domain++) {
      long units = 0;
      long hosting = rest(depth) % within == 0 ? 0 : Long.MIN_VALUE;
      for (int i = tree.begin(depth, domain); i < tree.end(depth, domain); i++) {
        room[depth][domain] += isLast ? capacity[tree.slot(i)] : room[depth + 1][i];
        units += isLast ? capacity[tree.slot(i)] : whole[depth + 1][i];
        if (!isLast && besideRest[depth + 1][i] != NOT) {
          hosting = Math.max(hosting, besideRest[depth + 1][i] - whole[depth + 1][i]);
        }
      }
      whole[depth][domain] = atMostAll(units / factor);
      long beside = hosting == Long.MIN_VALUE ? NOT : units + hosting - rest;
      besideRest[depth][domain] = beside < 0 ? NOT : atMostAll(beside / factor);
    }
  }

  private int atMostAll(long segments) {
    return (int) Math.min(segments, members);
  }

  /** Members at the end that make up no whole segment of the depth. */
  private int rest(int depth) {
    return members % sizes[depth];
  }

  /** What has been divided, how many domains of each depth that takes, and their room. */
  private final class Found {
    private final List<Range> ranges = new ArrayList<>();
    private long room;
    private final int[] domains = new int[tree.depths()];

    void add(Found within) {
      ranges.addAll(within.ranges);
      room += within.room;
      Arrays.setAll(domains, depth -> domains[depth] + within.domains[depth]);
    }
  }

  /** How the members are divided, in their order; empty if they do not fit so. */
  public Optional<List<Range>> find() {
    var found = new Found();
    return divide(0, 0, tree.size(0), members, found)
        ? Optional.of(found.ranges)
        : Optional.empty();
  }

  /** How many whole segments of the depth the domain holds. */
  public int whole(int depth, int domain) {
    return whole[depth][domain];
  }

  /** Whether the domain holds those at the end that make up no whole segment of the depth. */
  public boolean holdsRest(int depth, int domain) {
    return besideRest[depth][domain] != NOT && rest(depth) > 0;
  }

  /** How many members the domain has room for. */
  public long room(int depth, int domain) {
    return room[depth][domain];
  }

  private boolean divide(int depth, int from, int to, int some, Found found) {
    var one = one(depth, from, to, some);
    if (one.isPresent()) {
      found.add(one.get());
      return true;
    }
    var shares = shares(depth, from, to, some);
    if (shares.isEmpty()) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (i != shares.get().host) {
        enter(depth, i, shares.get().segments[i - from] * sizes[depth], found);
      }
    }
    int host = shares.get().host;
    if (host != NOT) {
      int segments = shares.get().segments[host - from];
      enter(depth, host, segments * sizes[depth] + some % sizes[depth], found);
    }
    return true;
  }

  private void enter(int depth, int domain, int some, Found found) {
    if (some == 0) {
      return;
    }
    found.domains[depth]++;
    if (depth == tree.depths() - 1) {
      found.ranges.add(new Range(domain, some));
      found.room += room[depth][domain];
    } else if (!divide(
        depth + 1, tree.begin(depth, domain), tree.end(depth, domain), some, found)) {
      throw new IllegalStateException("a domain holds less than was counted");
    }
  }

  /**
   * Whole segments by domain, and the host, which gets the rest at the end; {@link #NOT}: there is
   * none.
   */
  private static final class Shares {
    private final int[] segments;
    private final int host;

    Shares(int[] segments, int host) {
      this.segments = segments;
      this.host = host;
    }
  }

  private Optional<Shares> shares(int depth, int from, int to, int some) {
    int segments = some / sizes[depth];
    boolean hasRest = some % sizes[depth] > 0;
    var line = new Line(whole[depth], room[depth], from, to);
    if (!hasRest) {
      int fewest = line.fewest(segments);
      return fewest == NOT
          ? Optional.empty()
          : Optional.of(new Shares(line.share(segments, fewest, NOT, 0), NOT));
    }
    Optional<Shares> best = Optional.empty();
    int fewest = Integer.MAX_VALUE;
    int widest = Integer.MAX_VALUE;
    for (int host : hosts(depth, from, to)) {
      int beside = Math.min(segments, besideRest[depth][host]);
      int others = line.fewestWithout(host, segments - beside);
      if (others == NOT || others > fewest) {
        continue;
      }
      var shares = line.share(segments, others, host, beside);
      int width = width(shares);
      if (others < fewest || width < widest) {
        fewest = others;
        widest = width;
        best = Optional.of(new Shares(shares, host));
      }
    }
    return best;
  }

  /** Domains that hold the rest: of those that hold as much, the one with the least room. */
  private List<Integer> hosts(int depth, int from, int to) {
    record Kind(int whole, int beside) {}

    var kinds = new LinkedHashMap<Kind, Integer>();
    for (int i = from; i < to; i++) {
      if (besideRest[depth][i] != NOT) {
        kinds.merge(
            new Kind(whole[depth][i], besideRest[depth][i]),
            i,
            (a, b) -> room[depth][b] < room[depth][a] ? b : a);
      }
    }
    return List.copyOf(kinds.values());
  }

  private static int width(int[] shares) {
    var used = Arrays.stream(shares).filter(share -> share > 0).summaryStatistics();
    return used.getCount() == 0 ? 0 : used.getMax() - used.getMin();
  }

  /**
   * How the best domain that holds all divides it; empty if there is none. Each domain is divided
   * once, however deep the tree is.
   */
  private Optional<Found> one(int depth, int from, int to, int some) {
    int segments = some / sizes[depth];
    boolean hasRest = some % sizes[depth] > 0;
    int best = NOT;
    var bestFound = new Found();
    for (int i = from; i < to; i++) {
      if ((hasRest ? besideRest[depth][i] : whole[depth][i]) < segments) {
        continue;
      }
      var found = new Found();
      enter(depth, i, some, found);
      if (best == NOT || isBetter(found, room[depth][i], bestFound, room[depth][best])) {
        best = i;
        bestFound = found;
      }
    }
    return best == NOT ? Optional.empty() : Optional.of(bestFound);
  }

  /** Fewer domains come first, then less room in the innermost ones, then less in this one. */
  private static boolean isBetter(Found one, long room, Found other, long otherRoom) {
    int order = Arrays.compare(one.domains, other.domains);
    order = order == 0 ? Long.compare(one.room, other.room) : order;
    return order < 0 || (order == 0 && room < otherRoom);
  }
}

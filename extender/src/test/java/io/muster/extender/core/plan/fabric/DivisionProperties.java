package io.muster.extender.core.plan.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random networks, small enough to try every placement. {@code -Dmuster.fabric.tries=N} plays so
 * many.
 */
final class DivisionProperties {

  private static final int TRIES = Integer.getInteger("muster.fabric.tries", 10_000);

  /** For each node its domain at each depth, and how many members it takes. */
  private static final class Network {
    private final int[][] columns;
    private final int[] capacity;
    private final int[] sizes;
    private final int members;

    Network(int[][] columns, int[] capacity, int[] sizes, int members) {
      this.columns = columns;
      this.capacity = capacity;
      this.sizes = sizes;
      this.members = members;
    }

    static Network random(Random random) {
      int depths = 1 + random.nextInt(3);
      int nodes = 1 + random.nextInt(8);
      var columns = new int[depths][nodes];
      for (int node = 0; node < nodes; node++) {
        for (int depth = 0; depth < depths; depth++) {
          columns[depth][node] = random.nextInt(12) == 0 ? -1 : random.nextInt(depth == 0 ? 3 : 2);
        }
      }
      var sizes = new int[depths];
      int size = 1 + random.nextInt(3);
      for (int depth = depths - 1; depth >= 0; depth--) {
        sizes[depth] = size;
        size *= 1 + random.nextInt(3);
      }
      var capacity = random.ints(nodes, 0, 4).toArray();
      return new Network(columns, capacity, sizes, 1 + random.nextInt(10));
    }

    DomainTree tree() {
      var order =
          IntStream.range(0, capacity.length)
              .boxed()
              .sorted((a, b) -> Arrays.compare(place(a), place(b)))
              .mapToInt(Integer::intValue)
              .toArray();
      var strict = new boolean[columns.length];
      Arrays.fill(strict, true);
      return new DomainTree(columns, order, strict);
    }

    static int[] crossings(int[] one, int[] other) {
      return IntStream.rangeClosed(1, one.length)
          .map(depths ->
              Arrays.equals(Arrays.copyOf(one, depths), Arrays.copyOf(other, depths)) ? 0 : 1)
          .toArray();
    }

    int[] place(int node) {
      return Arrays.stream(columns).mapToInt(column -> column[node]).toArray();
    }
  }

  /** If each domain were divided twice, this would never end. */
  @Test
  void manyLevelsCostNoMoreThanTheirNumber() {
    var network = new Network(new int[64][4], new int[] {1, 1, 1, 1}, ones(64), 3);
    var found = new Division(network.tree(), network.sizes, network.capacity, 3).find();
    assertThat(found).contains(List.of(new Division.Range(0, 3)));
  }

  private static int[] ones(int count) {
    var ones = new int[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** Crossings of each depth, outermost first, as few as can be; empty: there is no placement. */
  private static final class Least {
    static final Least NONE = new Least(new int[0]);

    private final int[] crossings;

    Least(int[] crossings) {
      this.crossings = crossings;
    }

    boolean isNone() {
      return crossings.length == 0;
    }

    Least and(int[] more) {
      return isNone()
          ? this
          : new Least(IntStream.range(0, more.length).map(i -> crossings[i] + more[i]).toArray());
    }

    Least or(Least other) {
      boolean isLess =
          isNone() || (!other.isNone() && Arrays.compare(other.crossings, crossings) < 0);
      return isLess ? other : this;
    }
  }

  /** Tries every placement, member by member. */
  private static final class Search {
    private final Network network;
    private final List<int[]> domains;
    private final int[] left;
    private final Map<List<Integer>, Least> known = new HashMap<>();

    Search(Network network) {
      this.network = network;
      domains =
          IntStream.range(0, network.capacity.length)
              .mapToObj(network::place)
              .filter(place -> IntStream.of(place).allMatch(value -> value >= 0))
              .map(Arrays::toString)
              .distinct()
              .map(text ->
                  Arrays.stream(text.replaceAll("[\\[\\] ]", "").split(","))
                      .mapToInt(Integer::parseInt)
                      .toArray())
              .toList();
      left = new int[domains.size()];
      for (int node = 0; node < network.capacity.length; node++) {
        for (int d = 0; d < left.length; d++) {
          left[d] +=
              Arrays.equals(domains.get(d), network.place(node)) ? network.capacity[node] : 0;
        }
      }
    }

    Least from(int member, int before) {
      if (member == network.members) {
        return new Least(new int[network.sizes.length]);
      }
      var key = new ArrayList<>(IntStream.of(left).boxed().toList());
      key.add(member);
      key.add(before);
      var found = known.get(key);
      if (found != null) {
        return found;
      }
      var least = Least.NONE;
      for (int d = 0; d < left.length; d++) {
        if (left[d] > 0 && mayFollow(member, before, d)) {
          left[d]--;
          least = least.or(from(member + 1, d).and(crossings(before, d)));
          left[d]++;
        }
      }
      known.put(key, least);
      return least;
    }

    /** Whether no segment that goes on with this member would be broken. */
    private boolean mayFollow(int member, int before, int d) {
      for (int depth = 0; depth < network.sizes.length; depth++) {
        if (member % network.sizes[depth] != 0
            && !Arrays.equals(
                Arrays.copyOf(domains.get(before), depth + 1),
                Arrays.copyOf(domains.get(d), depth + 1))) {
          return false;
        }
      }
      return true;
    }

    private int[] crossings(int before, int d) {
      return before < 0
          ? new int[network.sizes.length]
          : Network.crossings(domains.get(before), domains.get(d));
    }
  }

  @Test
  void findsADivisionWheneverThereIsOneAndCrossesNoMoreThanItMust() {
    int found = 0;
    int nested = 0;
    for (int seed = 0; seed < TRIES; seed++) {
      var network = Network.random(new Random(seed));
      var tree = network.tree();
      var ranges = new Division(tree, network.sizes, network.capacity, network.members).find();
      var least = new Search(network).from(0, -1);
      assertThat(ranges.isPresent()).as("seed %d", seed).isEqualTo(!least.isNone());
      if (ranges.isPresent()) {
        found++;
        nested += network.sizes.length > 1 ? 1 : 0;
        check(network, tree, ranges, least, seed);
      }
    }
    assertThat(found).as("neither all nor none").isBetween(TRIES / 10, TRIES - TRIES / 10);
    assertThat(nested).isGreaterThan(TRIES / 20);
  }

  private static void check(
      Network network,
      DomainTree tree,
      Optional<List<Division.Range>> found,
      Least least,
      int seed) {
    int last = tree.depths() - 1;
    var at = new int[network.members];
    int next = 0;
    var taken = new int[tree.size(last)];
    for (var range : found.orElseThrow()) {
      Arrays.fill(at, next, next + range.members(), range.domain());
      next += range.members();
      taken[range.domain()] += range.members();
    }
    assertThat(next).as("seed %d", seed).isEqualTo(network.members);
    for (int domain = 0; domain < taken.length; domain++) {
      int holds = IntStream.of(tree.slots(last, domain)).map(slot -> network.capacity[slot]).sum();
      assertThat(taken[domain]).as("seed %d", seed).isLessThanOrEqualTo(holds);
    }
    var crossings = new int[tree.depths()];
    for (int i = 1; i < at.length; i++) {
      var one = network.place(tree.slots(last, at[i - 1])[0]);
      var other = network.place(tree.slots(last, at[i])[0]);
      var crossed = Network.crossings(one, other);
      for (int depth = 0; depth <= last; depth++) {
        crossings[depth] += crossed[depth];
        assertThat(i % network.sizes[depth] == 0 || crossed[depth] == 0)
            .as("seed %d: segment of member %d at depth %d is whole", seed, i, depth)
            .isTrue();
      }
    }
    for (int depth = 0; depth <= last; depth++) {
      assertThat(crossings[depth])
          .as("seed %d: neighbours that cross depth %d", seed, depth)
          .isEqualTo(least.crossings[depth]);
      if (crossings[depth] > 0) {
        return;
      }
    }
  }
}

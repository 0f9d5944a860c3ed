package io.muster.extender.core.plan.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which nodes are taken first of those between which nothing else decides. */
final class DomainOrderTest {

  private static final int TRIES = 10_000;

  private static int[] place(int[][] columns, int slot, int depths) {
    return IntStream.range(0, depths).map(depth -> columns[depth][slot]).toArray();
  }

  private static DomainOrder order(int[][] columns) {
    var slots =
        IntStream.range(0, columns[0].length)
            .boxed()
            .sorted((a, b) ->
                Arrays.compare(
                    place(columns, a, columns.length), place(columns, b, columns.length)))
            .mapToInt(Integer::intValue)
            .toArray();
    return new DomainOrder(new DomainTree(columns, slots, new boolean[columns.length]), columns);
  }

  /** The slots as they take their turns. */
  private static int[] inTurn(int[][] columns, int... slots) {
    var turns = order(columns).turns(slots);
    var inTurn = slots.clone();
    for (int i = 0; i < turns.length; i++) {
      inTurn[turns[i]] = slots[i];
    }
    return inTurn;
  }

  @Test
  void beginsWithTheRackThatHasTheFewestLeft() {
    int[][] racks = {{0, 0, 0, 1, 1, 1, 2, 2, 2}};
    assertThat(inTurn(racks, 0, 1, 2, 3, 4, 6, 7, 8)).containsExactly(3, 4, 0, 1, 2, 6, 7, 8);
    assertThat(inTurn(racks, 0, 1, 2, 8)).containsExactly(8, 0, 1, 2);
  }

  @Test
  void theInnermostLevelDecidesAndThenTheNextOneOutwards() {
    int[][] blocksAndRacks = {{0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 1, 1, 0, 0, 1, 1}};
    assertThat(inTurn(blocksAndRacks, 0, 1, 2, 3, 4, 5))
        .as("racks have as many left, the second block has less")
        .containsExactly(4, 5, 0, 1, 2, 3);
    assertThat(inTurn(blocksAndRacks, 0, 1, 3, 4, 5))
        .as("a rack that is begun comes before a block that is")
        .containsExactly(3, 4, 5, 0, 1);
    int[][] racksAndHosts = {{0, 0, 0, 1, 1, 1}, {0, 1, 2, 3, 4, 5}};
    assertThat(inTurn(racksAndHosts, 0, 1, 2, 3, 4))
        .as("where each node is a domain, the rack decides")
        .containsExactly(3, 4, 0, 1, 2);
  }

  @Test
  void nodesInNoDomainComeFirst() {
    int[][] racks = {{0, 0, -1, -1, -1}};
    assertThat(inTurn(racks, 0, 2, 3, 4)).containsExactly(2, 3, 4, 0);
    int[][] unlabelled = {{0, 0, 1}, {-1, -1, -1}};
    assertThat(inTurn(unlabelled, 0, 1, 2)).containsExactly(2, 0, 1);
  }

  @Test
  void nodesOfOneDomainAreTakenAsTheyCome() {
    int[][] racks = {{0, 0, 1, 1}};
    assertThat(order(racks).turns(new int[] {2, 3})).isEmpty();
    assertThat(order(racks).turns(new int[0])).isEmpty();
  }

  /** Against comparing every node with every other one. */
  @Test
  void randomNetworksAreOrderedAsComparingWouldOrderThem() {
    int changed = 0;
    for (int seed = 0; seed < TRIES; seed++) {
      var random = new Random(seed);
      var columns = columns(random);
      int nodes = columns[0].length;
      var slots = IntStream.range(0, nodes).filter(_ -> random.nextInt(3) > 0).toArray();
      var expected =
          IntStream.of(slots)
              .boxed()
              .sorted(comparing(columns, slots))
              .mapToInt(Integer::intValue)
              .toArray();
      assertThat(inTurn(columns, slots)).as("seed %d", seed).isEqualTo(expected);
      changed += Arrays.equals(expected, slots) ? 0 : 1;
    }
    assertThat(changed).isGreaterThan(TRIES / 2);
  }

  private static int[][] columns(Random random) {
    int nodes = 1 + random.nextInt(12);
    var columns = new int[1 + random.nextInt(3)][nodes];
    for (int[] column : columns) {
      Arrays.setAll(column, _ -> random.nextInt(10) == 0 ? -1 : random.nextInt(3));
    }
    return columns;
  }

  private static Comparator<Integer> comparing(int[][] columns, int[] slots) {
    Comparator<Integer> order = (_, _) -> 0;
    for (int depth = columns.length - 1; depth >= 0; depth--) {
      int depths = depth + 1;
      order = order.thenComparingLong(slot -> left(columns, slots, slot, depths));
    }
    return order
        .thenComparing(slot -> place(columns, slot, columns.length), Arrays::compare)
        .thenComparing(slot -> slot);
  }

  private static long left(int[][] columns, int[] slots, int slot, int depths) {
    var place = place(columns, slot, depths);
    return columns[depths - 1][slot] < 0
        ? 0
        : IntStream.of(slots)
            .filter(other -> Arrays.equals(place(columns, other, depths), place))
            .count();
  }
}

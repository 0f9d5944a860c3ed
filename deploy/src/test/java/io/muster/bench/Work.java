package io.muster.bench;

import io.muster.sandbox.NodeShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What is to be placed, and in which order its pods are created. Same seed, same work. Immutable.
 */
record Work(List<Gang> gangs, List<Gang.Member> order) {

  Work {
    gangs = List.copyOf(gangs);
    order = List.copyOf(order);
  }

  int pods() {
    return order.size();
  }

  /** So many gangs of each size with a GPU a member, in mixed order, one gang after the other. */
  static Work oneAfterTheOther(long seed, int ofEach, int... sizes) {
    var random = new Random(seed);
    var drawn = new ArrayList<Integer>();
    for (int size : sizes) {
      drawn.addAll(Collections.nCopies(ofEach, size));
    }
    Collections.shuffle(drawn, random);
    var gangs =
        IntStream.range(0, drawn.size()).mapToObj(i -> new Gang("g" + i, drawn.get(i), 1)).toList();
    return oneByOne(gangs);
  }

  /** These gangs, one after the other. */
  static Work oneByOne(List<Gang> gangs) {
    return new Work(gangs, gangs.stream().flatMap(gang -> gang.all().stream()).toList());
  }

  /** One gang. */
  static Work single(String name, int members, int gpus) {
    return oneByOne(List.of(new Gang(name, members, gpus)));
  }

  /**
   * 15 gangs each of 8, 16, 32 and 64 members with 1 or 2 GPUs, 3,000 GPUs in all; their members
   * are created in mixed order.
   *
   * @param isOfWholeNodes whether the members have 8 GPUs instead, and each gang as many as before
   */
  static Work contention(long seed, boolean isOfWholeNodes) {
    var random = new Random(seed);
    var sizes = new ArrayList<Integer>();
    for (int size : new int[] {8, 16, 32, 64}) {
      sizes.addAll(Collections.nCopies(15, size));
    }
    Collections.shuffle(sizes, random);
    var twice = withTwoGpus(sizes, random);
    var gangs =
        IntStream.range(0, sizes.size())
            .mapToObj(i -> new Gang("g" + i, sizes.get(i), twice[i] ? 2 : 1))
            .map(gang -> isOfWholeNodes ? ofWholeNodes(gang) : gang)
            .toList();
    var order = new ArrayList<>(gangs.stream().flatMap(gang -> gang.all().stream()).toList());
    Collections.shuffle(order, random);
    return new Work(gangs, order);
  }

  private static Gang ofWholeNodes(Gang gang) {
    int all = gang.members() * gang.gpus();
    return new Gang(gang.name(), all / NodeShape.GPU8.gpus(), NodeShape.GPU8.gpus());
  }

  /**
   * So many gangs of each size, each with 1 or 2 GPUs a member; their members are created in mixed
   * order.
   */
  static Work mixed(long seed, String prefix, int ofEach, List<Integer> sizes) {
    var random = new Random(seed);
    var drawn = new ArrayList<Integer>();
    sizes.forEach(size -> drawn.addAll(Collections.nCopies(ofEach, size)));
    Collections.shuffle(drawn, random);
    var gangs =
        IntStream.range(0, drawn.size())
            .mapToObj(i -> new Gang(prefix + i, drawn.get(i), 1 + random.nextInt(2)))
            .toList();
    var order = new ArrayList<>(gangs.stream().flatMap(gang -> gang.all().stream()).toList());
    Collections.shuffle(order, random);
    return new Work(gangs, order);
  }

  /** Picks gangs with 1,200 members in all. */
  private static boolean[] withTwoGpus(List<Integer> sizes, Random random) {
    var order = new ArrayList<>(IntStream.range(0, sizes.size()).boxed().toList());
    while (true) {
      Collections.shuffle(order, random);
      var twice = new boolean[sizes.size()];
      int left = 1_200;
      for (int i : order) {
        if (sizes.get(i) <= left) {
          twice[i] = true;
          left -= sizes.get(i);
        }
      }
      if (left == 0) {
        return twice;
      }
    }
  }

  int gpus() {
    return gangs.stream().mapToInt(gang -> gang.members() * gang.gpus()).sum();
  }
}

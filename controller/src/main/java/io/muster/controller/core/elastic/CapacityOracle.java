package io.muster.controller.core.elastic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Judges what fits where: the planner that places gangs, asked about what is not so yet. */
public interface CapacityOracle {

  /** Some who want room together. Immutable. */
  sealed interface Wish {

    /** A gang that waits. */
    record OfGang(String gang) implements Wish {}

    /** One more pod like each of these. */
    record Like(List<String> podUids) implements Wish {
      public Like {
        podUids = List.copyOf(podUids);
      }
    }

    /** One more pod like each of these, each on its node: they have been placed before. */
    record At(List<String> podUids, List<String> nodes) implements Wish {
      public At {
        podUids = List.copyOf(podUids);
        nodes = List.copyOf(nodes);
      }
    }
  }

  /**
   * Where a pod is.
   *
   * @param space how many pods like it the node has room for, in thousandths of one
   * @param segment number of the segment of its gang that it is in; empty: it has none
   */
  record Site(String node, long space, OptionalInt segment) {

    /** Of a pod whose gang has no segments. */
    public Site(String node, long space) {
      this(node, space, OptionalInt.empty());
    }
  }

  /**
   * Nodes for each of these, one after the other, each beside those before it.
   *
   * @param gone uids of pods that are taken to be gone
   * @return for each its nodes, in its order; empty for one that has no room, which takes none
   */
  List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone);

  /** Nodes for that one, beside those before it; empty if it has no room. */
  default Optional<List<String>> place(List<Wish> before, Wish wish, Collection<String> gone) {
    var wishes = new ArrayList<>(before);
    wishes.add(wish);
    return places(wishes, gone).getLast();
  }

  /** Whether some of these could be on that node, were it empty. */
  boolean couldUse(Wish wish, String node);

  /**
   * Amounts. CPU in thousandths of a core.
   *
   * @param memory in bytes
   * @param devices accelerators of every name
   */
  record Amounts(long cpuMillis, long memory, long devices) {

    /** Nothing. */
    public static final Amounts NONE = new Amounts(0, 0, 0);

    /** With so many times the other; fewer where that is below 0. */
    Amounts plus(Amounts other, int times) {
      return new Amounts(
          cpuMillis + times * other.cpuMillis,
          memory + times * other.memory,
          devices + times * other.devices);
    }

    /** Whether there is more of something than in the other. */
    boolean exceeds(Amounts other) {
      return cpuMillis > other.cpuMillis || memory > other.memory || devices > other.devices;
    }
  }

  /** What a pod asks for; nothing if it is not known. */
  Amounts asks(String podUid);

  /** Capacity of the nodes that accept pods. */
  Amounts offered();

  /**
   * What all pods ask for that have not ended, those included that wait or are on their way out.
   */
  Amounts asked();

  /** Where these pods are, and what room is beside them if others were gone; absent if nowhere. */
  Map<String, Site> sites(List<String> podUids, Collection<String> gone);
}

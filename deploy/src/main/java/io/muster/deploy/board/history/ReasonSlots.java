package io.muster.deploy.board.history;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Which reason is counted in which of the 16 slots. The last one is for all others. Where a new
 * reason finds no slot free, the one that was least in the last 24 h, and is not now, counts among
 * the others from then on. Confined to the lock of its owner.
 */
final class ReasonSlots {

  static final int COUNT = 16;
  static final int OTHER = COUNT - 1;

  /** Codes are words; what is none is counted and never told. */
  private static final int LONGEST_CODE = 64;

  private final String[] codes = new String[OTHER];
  private final Steps steps;

  ReasonSlots(Steps steps) {
    this.steps = steps;
  }

  /** Gangs by slot. */
  int[] slots(Map<String, Integer> gangs, long now) {
    var counted = new int[COUNT];
    gangs.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(each -> counted[slot(each.getKey(), gangs.keySet(), now)] += each.getValue());
    return counted;
  }

  private int slot(String code, Set<String> present, long now) {
    if (!isWord(code)) {
      return OTHER;
    }
    int known = Arrays.asList(codes).indexOf(code);
    int slot = known >= 0 ? known : freed(present, now).orElse(OTHER);
    if (slot != OTHER) {
      codes[slot] = code;
    }
    return slot;
  }

  private static boolean isWord(String code) {
    return !code.isEmpty()
        && code.length() <= LONGEST_CODE
        && code.chars().allMatch(letter -> letter < 128 && Character.isLetter(letter));
  }

  private Optional<Integer> freed(Set<String> present, long now) {
    int unused = Arrays.asList(codes).indexOf(null);
    if (unused >= 0) {
      return Optional.of(unused);
    }
    var least =
        IntStream.range(0, OTHER)
            .boxed()
            .filter(slot -> !present.contains(codes[slot]))
            .min(Comparator.comparingLong(slot -> steps.sum(slot, now)));
    least.ifPresent(slot -> steps.merge(slot, OTHER));
    return least;
  }

  /** The slot's code; empty while it has none. */
  Optional<String> code(int slot) {
    return Optional.ofNullable(codes[slot]);
  }
}

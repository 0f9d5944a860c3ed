package io.muster.controller.core.job;

/** How the members of a role are called. */
public sealed interface Naming {

  /** The name of the member with that index. */
  String name(String prefix, int index);

  /** There is one, and it is called like its role. */
  record Alone() implements Naming {

    @Override
    public String name(String prefix, int index) {
      return prefix;
    }
  }

  /** By their index. */
  record Numbered() implements Naming {

    @Override
    public String name(String prefix, int index) {
      return prefix + "-" + index;
    }
  }

  /**
   * In sets: the first of each is called by a prefix of its own.
   *
   * @param size of a set; the set of an index is its multiple
   * @param leader the prefix of the first of a set
   * @param letters behind both prefixes
   * @param isFirstBare whether the leader of the very first set is called by its prefix alone
   */
  record Sets(int size, String leader, Lettered letters, boolean isFirstBare) implements Naming {

    @Override
    public String name(String prefix, int index) {
      if (index == 0 && isFirstBare) {
        return leader;
      }
      return letters.name(index % size == 0 ? leader : prefix, index);
    }
  }

  /**
   * By five letters and digits, another five for each index below some ten million: the first ones
   * by another way of counting.
   *
   * @param seed where it begins; other jobs have other names
   * @param first that is added to the index: roles of one prefix share the names between them
   */
  record Lettered(long seed, int first) implements Naming {

    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
    private static final int LENGTH = 5;
    private static final int NAMES = 14_348_907;

    /** Has no divisor in common with the number of names, so that no two are the same. */
    private static final long STRIDE = 7_368_787;

    @Override
    public String name(String prefix, int index) {
      long number = Math.floorMod(Math.floorMod(seed, NAMES) + (first + index) * STRIDE, NAMES);
      var letters = new StringBuilder(prefix).append('-');
      for (int i = 0; i < LENGTH; i++) {
        letters.append(ALPHABET.charAt((int) (number % ALPHABET.length())));
        number /= ALPHABET.length();
      }
      return letters.toString();
    }
  }
}
